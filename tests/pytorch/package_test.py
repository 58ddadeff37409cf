"""plimsoll.training with PyTorch, Transformers and Lightning themselves, on this CPU, against a real server.

    PLIMSOLL_BIN=build/release/bin OMP_NUM_THREADS=1 build/pytorch/bin/python tests/pytorch/package_test.py

What needs CUDA (memory, out-of-memory errors) comes from the simulated card in tests/integration/stand_ins, which only
the package sees: the libraries themselves train on the CPU.
"""

import importlib.util
import pathlib
import sys
import tempfile
import types
import unittest
from unittest import mock

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / 'tests/integration'), str(ROOT / 'deploy/clients/python')]
import harness  # noqa: E402
import lightning.pytorch as lightning  # noqa: E402
import plimsoll.training as plimsoll  # noqa: E402
import torch  # noqa: E402
import transformers  # noqa: E402
from plimsoll.training import gpu  # noqa: E402

MIB = 1 << 20
ARGS = {'model': {'preset': 'bert-base'}, 'training': {'sequence_length': 128}, 'gpus': ['rtx_4090'], 'what_ifs': False}


def stand_in_card():
    spec = importlib.util.spec_from_file_location('card', ROOT / 'tests/integration/stand_ins/torch/cuda.py')
    card = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(card)
    card.OutOfMemoryError = torch.OutOfMemoryError
    return card


def tiny_model():
    return transformers.BertForSequenceClassification(transformers.BertConfig(
        vocab_size=100, hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=32, num_labels=2))


def example():
    return {'input_ids': torch.randint(0, 100, (8,)), 'labels': torch.tensor(1)}


def train_with_transformers(callback, *, steps, batch, accumulation):
    with tempfile.TemporaryDirectory() as folder:
        transformers.Trainer(
            model=tiny_model(), train_dataset=[example() for _ in range(steps * batch * accumulation)],
            callbacks=[callback], args=transformers.TrainingArguments(
                folder, per_device_train_batch_size=batch, gradient_accumulation_steps=accumulation, max_steps=steps,
                use_cpu=True, report_to=[], save_strategy='no', disable_tqdm=True, logging_strategy='no')).train()


class Module(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.model = tiny_model()

    def training_step(self, batch, _):
        return self.model(**batch).loss

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters())


def train_with_lightning(callback, *, steps, batch, accumulation):
    data = torch.utils.data.DataLoader([example() for _ in range(steps * batch * accumulation)], batch_size=batch)
    lightning.Trainer(accelerator='cpu', max_epochs=1, accumulate_grad_batches=accumulation, callbacks=[callback],
                      logger=False, enable_checkpointing=False, enable_progress_bar=False,
                      enable_model_summary=False).fit(Module(), data)


LIBRARIES = [(plimsoll.transformers_callback, train_with_transformers),
             (plimsoll.lightning_callback, train_with_lightning)]


class WithoutGpu(unittest.TestCase):
    def test_a_probe_says_what_is_missing(self):
        with self.assertRaisesRegex(plimsoll.NoGpu, r'PyTorch \d+\.\d+'):
            plimsoll.probe(lambda batch: self.fail('no step'), args=ARGS)

    def test_a_training_run_continues_and_is_measured_as_far_as_possible(self):
        for callback_for, train in LIBRARIES:
            with self.subTest(train.__name__), self.assertLogs('plimsoll.training', 'INFO') as logs:
                callback = callback_for(args=ARGS, every=2)  # no address of a server: nothing is sent
                train(callback, steps=5, batch=4, accumulation=2)
                measurement = callback.monitor.measurement
                self.assertEqual((measurement['batch'], measurement['accumulation']), (4, 2))
                self.assertGreater(measurement['measured']['peak_resident_bytes'], 50 * MIB)
                self.assertGreater(measurement['measured']['step_seconds'], 0)
                self.assertEqual([sample['step'] for sample in measurement['samples']], [3, 5])
                self.assertIn('nothing is sent', '\n'.join(logs.output))
                self.assertRegex('\n'.join(logs.output), r'step 3: [\d.]+ s \| [\d.]+ GiB resident')


class OnACard(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = harness.Server().start()
        cls.addClassCleanup(cls.server.remove)
        cls.api = cls.server.api()
        cls.where = plimsoll.Server(cls.api.base, cls.api.token)

    def setUp(self):
        self.card = stand_in_card()
        patch = mock.patch.object(gpu, 'torch', types.SimpleNamespace(cuda=self.card, __version__=torch.__version__))
        patch.start()
        self.addCleanup(patch.stop)

    def step_of(self, model, optimizer):
        """A real step, and on the card 1 GiB and 48 MiB a sample while it runs."""

        def step(batch):
            optimizer.zero_grad()
            held = [self.card.Tensor(1024 * MIB)] + [self.card.Tensor(48 * MIB) for _ in range(batch)]
            model(input_ids=torch.randint(0, 100, (batch, 8)), labels=torch.ones(batch, dtype=torch.long)).loss.backward()
            optimizer.step()
            del held
        return step

    def test_the_probe_handles_pytorchs_own_error(self):
        model = tiny_model()
        found = plimsoll.probe(self.step_of(model, torch.optim.AdamW(model.parameters())), args=ARGS, server=self.where)
        self.assertEqual(found.largest_batch, (8192 - 512 - 1024) // 48)
        self.assertEqual([trial.batch for trial in found.trials][:9], [1, 2, 4, 8, 16, 32, 64, 128, 256])
        self.assertEqual(found.answer['measured']['max_batch'], found.largest_batch)

    def test_runs_are_reported_and_correct_later_estimates(self):
        for callback_for, train in LIBRARIES:
            with self.subTest(train.__name__):
                held = self.card.Tensor(3072 * MIB)
                callback = callback_for(args=ARGS, every=2, server=self.where)
                train(callback, steps=5, batch=4, accumulation=2)
                del held
                answer = callback.monitor.answer
                self.assertEqual((answer['batch'], answer['accumulation']), (4, 2))
                self.assertEqual(answer['measured']['peak_reserved_bytes'], 3072 * MIB)
                self.assertEqual([sample['step'] for sample in answer['samples']], [3, 5])
        estimate = self.api.post('/v1/estimates', {'kind': 'training-config', 'args': ARGS}).json['summary']
        known = [one['id'] for one in self.api.get('/v1/training-measurements').json['items']]
        self.assertEqual(sorted(one['id'] for one in estimate['correction']['measurements']), sorted(known))


if __name__ == '__main__':
    unittest.main()
