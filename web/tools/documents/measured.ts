import { cell } from './cell';

interface Result {
  name: string;
  area: string;
  ours: number | null;
  unit: string;
  peer: string | null;
  peer_value: number | null;
  ratio: number | null;
  must: number | null;
  stretch: number | null;
  met: string | null;
  machine: string;
}

const number = (value: number) => value.toLocaleString('en-GB', { maximumSignificantDigits: 4 });
const space = '\u00a0'; // does not break
const unitOf = (unit: string) => cell(unit.replace(/^us\b/, 'µs').replace(/ s$/, `${space}s`));
const measured = ({ ours, unit }: Result) => number(ours!) + (unit && space + unitOf(unit));
const comparison = ({ peer, peer_value }: Result) => (peer === null ? '' : cell(peer) + (peer_value === null ? '' : `: ${number(peer_value)}`));

/** Whether the ratio reached what was asked for, and what that is. */
function goal({ ratio, must, stretch, met }: Result): string {
  const least = (asked: number | null) => (ratio === null || asked === null ? '' : ` (≥${space}${number(asked)})`);
  switch (met) {
    case 'stretch':
      return `stretch goal met${least(stretch)}`;
    case 'must':
      return `met${least(must)}`;
    case 'no':
      return `**missed**${least(must)}`;
    default:
      return 'none';
  }
}

const rowOf = (one: Result) =>
  `| ${cell(one.name)} | ${measured(one)} | ${comparison(one)} | ${one.ratio === null ? '' : number(one.ratio)} | ${goal(one)} |`;

const table = (results: readonly Result[]) => `| number | measured | compared with | ratio | goal |\n|---|---|---|---|---|\n${results.map(rowOf).join('\n')}`;

/** The sections of a page about those of the results whose names match. Every such result is shown, good or bad. */
const sections = (results: readonly Result[], about: readonly (readonly [title: string, text: string, names: RegExp])[]) =>
  about
    .map(([title, text, names]) => `## ${title}\n\n${text}\n\n${table(results.filter(({ name, ours }) => ours !== null && names.test(name)))}`)
    .join('\n\n');

const ledger = 'The numbers come from `tests/bench/results.json`; [What is measured](#/docs/measured) lists all of them, with their goals.';

/** How far answers are from the truth. */
export const accuracyPage = (results: readonly Result[]): string => `# How accurate it is

How far Plimsoll's answers are from real runs, reference implementations and published figures. ${ledger}

${sections(results, [
  ['Memory and speed of training', 'Estimates against training runs on an H100, and against figures that others published. Every configuration is in `tests/pytorch/`.', /^training.*(?:error of|run out of memory)/],
  ['Scores of published models', 'Logits against ONNX Runtime in fp32, for the same files and texts; labels of the faster forms against those of fp32; and the same scores in every order and batch.', /logit|labels of|scores that differ|digests|accuracy in/],
  ['Memory of models and fair shares', 'What was predicted, or is owed, against what was measured.', /memory of the resident model|charge per team/],
  ['Market hours', 'The calendar of the NYSE against the published one.', /NYSE/],
])}

VADER's scores equal those of vaderSentiment 3.3.2 to the last bit, and wave counts equal a search by brute force: tests
compare them, so there is no number to show.
`;

/** How fast it is beside other programs. */
export const speedPage = (results: readonly Result[]): string => `# How fast it is

Beside other programs that do the same, each in the version that is named, in turns on one machine. A ratio above 1 is
better, and where Plimsoll is slower the row is here, too. ${ledger}

${sections(results.filter(({ peer }) => peer !== null && /\d+\.\d/.test(peer)), [
  ['Sentiment', 'Texts scored by the same model, and a whole job from its submission to its end.', /shape.*headlines|lines, from|VADER/],
  ['Tokenizers', 'On one thread.', /^tokenizer/],
  ['The queue', 'Jobs that are durable when they are acknowledged.', /POST |enqueue|no-op (?:tasks|jobs)/],
  ['Parts of a model on a GPU', 'In bf16, beside PyTorch, which is faster at most large products.', /^engine on NVIDIA/],
])}
`;

/** tests/bench/results.json as a page. */
export function measuredPage(results: readonly Result[]): string {
  const known = results.filter(({ ours }) => ours !== null);
  const areas = [...new Set(known.map(({ area }) => area))].map(
    (area) => `## ${area[0]!.toUpperCase()}${area.slice(1)}\n\n${table(known.filter((one) => one.area === area))}`,
  );
  const missing = results.filter(({ ours }) => ours === null).map(({ name, machine }) => `| ${cell(name)} | ${cell(machine.replace(/^not measured: /, ''))} |`);
  return `# What is measured

${known.length} numbers were measured, and ${missing.length} wait for a machine that can measure them. None is an estimate.

## How to read it {#reading}

Each number is the median of several rounds, in which Plimsoll and its peer take turns on one machine. The
ratio is above 1 where Plimsoll is better. Where every round compares the two, the ratio is the median of the rounds'
ratios, which can differ from the ratio of the two numbers in the row. Beside each goal is the ratio that it asks for.
“At most” and “asked for” are our own limits. \`tests/bench/results.json\` also holds the machine, the commit and the
command of each number, and \`tests/bench/RESULTS.md\` shows them all.

## Not measured {#not-measured}

| number | what is missing |
|---|---|
${missing.join('\n')}

${areas.join('\n\n')}
`;
}
