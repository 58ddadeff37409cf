"""The classes that the Lightning configurations in configs.txtar instantiate by name."""

import lightning


class Classifier(lightning.LightningModule):
    def __init__(self, learning_rate: float = 1e-3, gradient_checkpointing: bool = False):
        super().__init__()
        self.save_hyperparameters()


class TextsDataModule(lightning.LightningDataModule):
    def __init__(self, batch_size: int = 32, num_workers: int = 0):
        super().__init__()
        self.save_hyperparameters()
