"""One card of a pipeline, as torchtitan builds it on torch.distributed.pipelining, for decoders of Transformers."""

import contextlib
import types

import torch
import torch.distributed.pipelining.schedules as schedules
import expert_plans
from parallel_plans import TEXT, divide
from torch.distributed.fsdp import fully_shard
from torch.distributed.pipelining import PipelineStage
from torch.distributed.tensor import DTensor

SCHEDULES = {'1f1b': schedules.Schedule1F1B, 'gpipe': schedules.ScheduleGPipe,
             'interleaved_1f1b': schedules.ScheduleInterleaved1F1B}


def layers_of_stages(layers, stages):
    """The embeddings count as a layer, and so do the last norm and the head."""
    least, more = divmod(layers + 2, stages)
    counts = [least + (stage < more) for stage in range(stages)]
    counts[0] -= 1
    counts[-1] -= 1
    return counts


class Stage(torch.nn.Module):
    """Some of a model's layers. Parts of a text that several cards divide (`mesh`) are sent as each of them has its own."""

    def __init__(self, model, index, stages):
        super().__init__()
        counts = layers_of_stages(len(model.model.layers), stages)
        begin = sum(counts[:index])
        self.config, self.model, self.mesh = model.config, model.model, None
        self.is_first, self.is_last = index == 0, index + 1 == stages
        self.model.layers = self.model.layers[begin:begin + counts[index]]
        if not self.is_first:
            self.model.embed_tokens = None
        if not self.is_last:
            self.model.norm = torch.nn.Identity()
        self.lm_head = model.lm_head if self.is_last else None

    def forward(self, texts):
        if self.mesh and not self.is_first:
            texts = DTensor.from_local(texts, self.mesh, [TEXT])
        hidden = self.model(**{'input_ids' if self.is_first else 'inputs_embeds': texts}, use_cache=False).last_hidden_state
        if self.is_last:
            return self.lm_head(hidden)
        return hidden.to_local() if self.mesh else hidden


class Sent:
    """A message of NCCL holds its tensor until it is waited for."""

    def __init__(self, operations):
        self.tensors = [operation.tensor for operation in operations]

    def wait(self):
        self.tensors.clear()


@contextlib.contextmanager
def messages():
    before = schedules.dist
    schedules.dist = types.SimpleNamespace(**{**vars(before), 'batch_isend_irecv': lambda operations: [Sent(operations)]})
    try:
        yield
    finally:
        schedules.dist = before


def schedule_of(case, models, mesh, loss):
    """Of card `case.rank`, which has one of `models` for each of its stages."""
    stages = case.pipeline * len(models)
    kind = torch.float32 if case.precision == 'fp32' else torch.bfloat16
    length = case.length // case.context
    hidden = torch.empty(case.batch, length // case.tensor, models[0].config.hidden_size, dtype=kind, device='meta')
    ids = torch.empty(case.batch, length, dtype=torch.long, device='meta')
    logits = torch.empty(case.batch, length, models[0].config.vocab_size, dtype=kind, device='meta')
    own = []
    for at, model in enumerate(models):
        index = case.rank + at * case.pipeline
        stage = PipelineStage(model, index, stages, torch.device('cpu'), group=mesh['pipeline'].get_group(),
                              input_args=(hidden if index else ids,), output_args=(logits if index + 1 == stages else hidden,))
        stage.group_rank = case.rank
        own.append(stage)
    kind = SCHEDULES[case.schedule]
    return kind(own if len(own) > 1 else own[0], case.microbatches, loss_fn=loss, scale_grads=False)


def shard(model, case, mesh):
    if case.expert > 1:
        return expert_plans.shard(model, case, mesh.size())
    if case.tensor > 1:
        model.mesh = mesh['tensor']
        divide(model, model.mesh)
    for layer in model.model.layers:
        fully_shard(layer, mesh=mesh['shard'], reshard_after_forward=case.sharding == 'fsdp')
    fully_shard(model, mesh=mesh['shard'])
