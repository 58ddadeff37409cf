interface Result {
  name: string;
  area: string;
  ours: number | null;
  unit: string;
  peer: string | null;
  peer_value: number | null;
  ratio: number | null;
  must: number | null;
  met: string | null;
  machine: string;
}

const number = (value: number) => value.toLocaleString('en-GB', { maximumSignificantDigits: 4 });
const cell = (text: string) => text.replace(/\|/g, '\\|');
const goals: Record<string, string> = { must: 'met', stretch: 'met, stretch goal too', no: '**missed**', reported: 'none' };

const rowOf = ({ name, ours, unit, peer, peer_value, ratio, met }: Result) =>
  `| ${cell(name)} | ${number(ours!)} ${cell(unit)} | ${peer === null ? '' : cell(peer) + (peer_value === null ? '' : `: ${number(peer_value)}`)} | ${ratio === null ? '' : number(ratio)} | ${goals[met ?? ''] ?? ''} |`;

/** tests/bench/results.json as a page. */
export function measuredPage(results: readonly Result[]): string {
  const measured = results.filter(({ ours }) => ours !== null);
  const areas = [...new Set(measured.map(({ area }) => area))].map(
    (area) => `## ${area[0]!.toUpperCase()}${area.slice(1)}\n\n| number | measured | compared with | ratio | goal |\n|---|---|---|---|---|\n${measured.filter((one) => one.area === area).map(rowOf).join('\n')}`,
  );
  const missing = results.filter(({ ours }) => ours === null).map(({ name, machine }) => `| ${cell(name)} | ${cell(machine.replace(/^not measured: /, ''))} |`);
  return `# What is measured

${measured.length} numbers were measured, and ${missing.length} wait for a machine that can measure them. None is an estimate.

## How to read it {#reading}

Each number is the median of several rounds, in which Plimsoll and its peer take turns on one machine. The
ratio is above 1 where Plimsoll is better. “At most” and “asked for” are our own limits. Missed
goals are marked. \`tests/bench/results.json\` also holds the machine, the commit and the command of each number, and
\`tests/bench/RESULTS.md\` shows them all.

## Not measured {#not-measured}

| number | what is missing |
|---|---|
${missing.join('\n')}

Predictions of training advice are calculated, not measured: memory by replaying the allocations of three training steps, speed
from the vendors' published rates. The table above says which of them have not been compared with a real device.

${areas.join('\n\n')}
`;
}
