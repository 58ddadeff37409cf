"""lightning.pytorch.Callback and the loop that calls it: batches are micro-batches, global_step counts optimizer steps."""

import types


class Callback:
    def on_train_start(self, trainer, pl_module):
        pass

    def on_train_batch_end(self, trainer, pl_module, outputs, batch, batch_idx):
        pass

    def on_train_end(self, trainer, pl_module):
        pass


def train(callback, micro_step, *, steps, batch, accumulation):
    trainer = types.SimpleNamespace(is_global_zero=True, global_step=0, accumulate_grad_batches=accumulation,
                                    train_dataloader=types.SimpleNamespace(batch_size=batch))
    callback.on_train_start(trainer, None)
    for index in range(steps * accumulation):
        micro_step(batch)
        if (index + 1) % accumulation == 0:
            trainer.global_step += 1
        callback.on_train_batch_end(trainer, None, None, None, index)
    callback.on_train_end(trainer, None)
