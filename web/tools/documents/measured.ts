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

/** tests/bench/results.json as a page. */
export function measuredPage(results: readonly Result[]): string {
  const known = results.filter(({ ours }) => ours !== null);
  const areas = [...new Set(known.map(({ area }) => area))].map(
    (area) => `## ${area[0]!.toUpperCase()}${area.slice(1)}\n\n| number | measured | compared with | ratio | goal |\n|---|---|---|---|---|\n${known.filter((one) => one.area === area).map(rowOf).join('\n')}`,
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

Predictions of training advice are calculated, not measured: memory by replaying the allocations of three training steps, speed
from the vendors' published rates. The table above says which of them have not been compared with a real device.

${areas.join('\n\n')}
`;
}
