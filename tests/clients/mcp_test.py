"""`plimsoll mcp` with the protocol's own client: twenty tasks in words, each solved by the tools' answers alone."""

import json
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

from samples_test import BIN, Server, wheels

CLIENT = """
import asyncio, json, sys
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

async def main(program, *calls):
    async with stdio_client(StdioServerParameters(command=program[0], args=program[1:], env=dict(ENV))) as streams:
        async with ClientSession(*streams) as session:
            hello = await session.initialize()
            listed = (await session.list_tools()).tools
            answers = []
            for name, arguments in calls:
                try:
                    answer = await session.call_tool(name, arguments)
                    dumped = answer.model_dump(by_alias=True)
                    answers.append([dumped["isError"], answer.content[0].text])
                except Exception as error:
                    answers.append([True, f"{type(error).__name__}: {error}"])
            print(json.dumps({"tools": [tool.model_dump(mode="json", by_alias=True) for tool in listed], "answers": answers}))

given = json.load(sys.stdin)
ENV = given["env"]
asyncio.run(main(given["program"], *given["calls"]))
"""
TRAIN = """per_device_train_batch_size: {batch}
gradient_accumulation_steps: 2
bf16: true
optim: adamw_torch_fused
output_dir: out
"""


class Mcp(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server().start()
        cls.addClassCleanup(cls.server.remove)
        cls.api = cls.server.api()
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="plm-mcp-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        subprocess.run(["python3", "-m", "venv", "--without-pip", cls.folder / "venv"], check=True)
        subprocess.run(["python3", "-m", "pip", "--python", cls.folder / "venv/bin/python", "install", "-q", "--no-index", "--no-compile",
                        "--find-links", wheels(), "mcp"], check=True)

    def ask(self, *calls, changes=()):
        given = {"program": [str(BIN / "plimsoll"), "mcp", *changes], "calls": calls, "env": self.server.environment()}
        done = subprocess.run([self.folder / "venv/bin/python", "-c", CLIENT], input=json.dumps(given), capture_output=True, text=True, timeout=600)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_twenty_tasks(self):
        for name, batch in (("small", 8), ("large", 4096)):
            (self.folder / f"{name}.yaml").write_text(TRAIN.format(batch=batch))
        done = self.api.submit_texts(["a fine day"], headers={})
        self.api.wait(done)
        later = self.api.post("/v1/jobs", {"kind": "sentiment", "name": "Tomorrow", "run_at": "2099-01-01T00:00:00Z", "args": {"texts": ["b"]}}).json["id"]
        tasks = [  # in words, the tool with its arguments, and what its answer must say
            ("Does BERT-base with batch 64 in bf16 fit an RTX 4090?", "estimate",
             {"model": "bert-base", "gpu": ["rtx_4090"], "batch": 64, "precision": "bf16"}, r"RTX 4090.*\n.*A batch of 64 takes .*within the margin"),
            ("What is the largest batch of GPT-2 with LoRA of rank 8 on a T4?", "estimate", {"model": "gpt2", "gpu": ["t4"], "lora": 8}, r"largest \d+"),
            ("Does one T4 or H100 train all weights of Llama 8B?", "estimate", {"preset": "llama-8b", "gpu": ["t4", "h100"]},
             r"NVIDIA T4 +no .*\n.*H100 80GB +no "),
            ("How much of an A100's memory does Llama 8B with LoRA take?", "estimate", {"model": "llama-8b", "gpu": ["a100_80gb"], "lora": 16}, r"\d+ % of the memory"),
            ("Are activations recomputed?", "estimate", {"model": "bert-base", "gpu": ["t4"], "batch": 8, "checkpointing": True}, "checkpointing"),
            ("Which learning rate for BERT-base?", "estimate", {"model": "bert-base", "gpu": ["t4"]}, r"learning rate [\d.e-]+"),
            ("Llama 8B over eight H100s with FSDP?", "estimate", {"model": "llama-8b", "gpu": ["h100"], "cards": 8, "sharding": "fsdp"}, r"accumulation 2, effective batch 64"),
            ("What takes the most memory of this run?", "estimate", {"model": "bert-base", "gpu": ["t4"], "batch": 32, "details": True}, r"optimizer +[\d.]+ GiB"),
            ("What is misspelt in 'bert-bse'?", "estimate", {"preset": "bert-bse"}, 'Did you mean "bert-base"'),
            ("May a rank be 9999?", "estimate", {"model": "gpt2", "lora": 9999}, "must be from 1 to 4096"),
            ("Does small.yaml fit a T4?", "check", {"paths": [f"{self.folder}/small.yaml"], "preset": "bert-base", "gpu": ["t4"]}, r"small\.yaml.*fits"),
            ("Which batch of large.yaml would fit?", "check", {"paths": [f"{self.folder}/large.yaml"], "preset": "bert-base", "gpu": ["t4"]}, r"lower the batch to \d+"),
            ("Does missing.yaml exist?", "check", {"paths": ["missing.yaml"]}, r"missing\.yaml.*cannot be read"),
            ("The run is out of memory with batch 16: what now?", "diagnose", {"out_of_memory": True, "batch": 16}, "batch 16 -> 8, accumulation 1 -> 2"),
            ("The GPU idles and the processor is busy: why?", "diagnose", {"gpu_percent": 30, "cpu_percent": 95, "workers": 2, "cpu_cores": 16},
             "the GPU waits for data"),
            ("Is this headline good news?", "score", {"texts": ["Shares soar after a brilliant quarter!"], "model": "vader"}, "positive"),
            ("Which of these two is worse?", "score", {"texts": ["A dull day", "A terrible disaster"], "model": "vader"}, r"negative.*-0\.8\d*|-0\.8\d*.*negative"),
            ("Which jobs have succeeded?", "jobs", {"state": "succeeded"}, done),
            ("Where is the job called Tomorrow?", "jobs", {"search": "Tomorrow"}, later),
            ("Why does it wait?", "why", {"job": later}, "2099"),
        ]
        answers = self.ask(*[[tool, arguments] for _, tool, arguments, _ in tasks])["answers"]
        wrong = [(words, text[:400]) for (words, _, _, solved), (_, text) in zip(tasks, answers) if not re.search(solved, text)]
        self.assertEqual(wrong, [])
        self.assertEqual(len(tasks), 20)

    def test_it_changes_nothing_unless_told_otherwise(self):
        found = self.ask(["submit", {"kind": "sentiment"}], ["cancel", {"job": "job_1"}], ["score", {"texts": ["a"], "keep": True}])
        self.assertEqual([tool["name"] for tool in found["tools"]], ["estimate", "check", "diagnose", "score", "jobs", "why"])
        self.assertTrue(all(tool["annotations"]["readOnlyHint"] for tool in found["tools"]))
        self.assertEqual([refused for refused, _ in found["answers"]], [True] * 3)
        self.assertIn("keep: is unknown", found["answers"][2][1])
        self.assertEqual(found["tools"][0]["inputSchema"]["properties"]["batch"]["type"], "integer")
        self.assertEqual(found["tools"][0]["inputSchema"]["properties"]["checkpointing"]["type"], "boolean")

    def test_changes(self):
        (self.folder / "texts.jsonl").write_text('{"text": "good"}\n')
        submitted = self.ask(["submit", {"kind": "sentiment", "file": f"{self.folder}/texts.jsonl", "run_at": "2099-01-01T00:00:00Z"}],
                             changes=["--allow-changes"])["answers"][0]
        self.assertFalse(submitted[0], submitted[1])
        job = re.search(r"job_\w+", submitted[1])[0]
        self.assertFalse(self.ask(["cancel", {"job": job}], changes=["--allow-changes"])["answers"][0][0])
        self.assertEqual(self.api.get(f"/v1/jobs/{job}").json["state"], "cancelled")

    def test_what_is_no_request(self):
        lines = ["", "no json", "[]", '{"jsonrpc":"2.0","id":1,"method":"resources/list"}', '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":[]}',
                 '{"jsonrpc":"2.0","method":"notifications/cancelled"}', '{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"serve"}}',
                 '{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"why","arguments":{"job":"--help"}}}',
                 '{"jsonrpc":"2.0","id":5,"method":"ping"}']
        done = subprocess.run([BIN / "plimsoll", "mcp"], input="\n".join(lines) + "\n", capture_output=True, text=True, timeout=60, env=self.server.environment())
        told = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual(done.returncode, 0)
        self.assertEqual([one.get("error", {}).get("code") for one in told], [-32700] * 3 + [-32601, -32602, -32602, None, None])
        self.assertTrue(told[6]["result"]["isError"])
        self.assertNotIn("Usage", told[6]["result"]["content"][0]["text"])
        self.assertEqual(told[7], {"jsonrpc": "2.0", "id": 5, "result": {}})


if __name__ == "__main__":
    unittest.main()
