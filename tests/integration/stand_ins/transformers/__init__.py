"""transformers.TrainerCallback and the loop that calls it, in Trainer's order."""

import types


class TrainerCallback:
    def on_train_begin(self, args, state, control, **kwargs):
        pass

    def on_step_end(self, args, state, control, **kwargs):
        pass

    def on_train_end(self, args, state, control, **kwargs):
        pass


def train(callback, micro_step, *, steps, batch, accumulation):
    args = types.SimpleNamespace(per_device_train_batch_size=batch, gradient_accumulation_steps=accumulation)
    state, control = types.SimpleNamespace(global_step=0), types.SimpleNamespace()
    callback.on_train_begin(args, state, control)
    for _ in range(steps):
        for _ in range(accumulation):
            micro_step(batch)
        state.global_step += 1
        callback.on_step_end(args, state, control)
    callback.on_train_end(args, state, control)
