import { cell } from './cell';

interface Option {
  names: string;
  type: string;
  help: string;
  positional: boolean;
  required: boolean;
}

interface Command {
  command: string;
  help: string;
  options: readonly Option[];
  commands: readonly string[];
}

export interface Description {
  commands: readonly Command[];
  exit_status: string;
}

const isSetting = ({ names }: Option) => /^--\w+\.\w/.test(names);

function usage({ command, options, commands }: Command): string {
  const positional = options.filter((option) => option.positional);
  const words = positional.map(({ names, required }) => (required ? names.toUpperCase() : `[${names.toUpperCase()}]`));
  return ['plimsoll', command, ...(commands.length > 0 ? ['COMMAND'] : []), ...words].join(' ');
}

function tableOf(options: readonly Option[]): string {
  const shown = options.filter((option) => option.names !== '-h,--help' && !isSetting(option));
  if (shown.length === 0) return '';
  const name = ({ names, positional }: Option) => `\`${positional ? names.toUpperCase() : names.replaceAll(',', ', ')}\``;
  const note = ({ type, required }: Option) => [type && cell(type.replace(/^(TEXT|INT|FLOAT):/, '')), required && 'required'].filter(Boolean).join(', ');
  const rows = shown.map((option) => `| ${name(option)} | ${note(option)} | ${cell(option.help)} |`);
  return `| option | value | meaning |\n|---|---|---|\n${rows.join('\n')}\n`;
}

function partOf(command: Command): string {
  const read = command.options.filter(isSetting).map(({ names }) => `\`${names.replaceAll(',', ', ')}\``);
  const settings = read.length > 0 ? `\nIt also accepts these [settings](#/docs/settings) as flags: ${read.join(', ')}.\n` : '';
  return `${cell(command.help)}.\n\n\`\`\`text\n${usage(command)}\n\`\`\`\n\n${tableOf(command.options)}${settings}`;
}

/** What `plimsoll manual --json` says, as a page. */
export function commandsPage({ commands, exit_status }: Description): string {
  const [program, ...rest] = commands;
  const groups = program!.commands.map((name) => {
    const own = rest.filter(({ command }) => command === name || command.startsWith(`${name} `));
    return own.map((one) => `${one.command === name ? '##' : '###'} plimsoll ${one.command} {#${one.command.replaceAll(' ', '-')}}\n\n${partOf(one)}`).join('\n');
  });
  const lines = exit_status.split('\n').slice(1).map((line) => /^\s*(\d+)\s+(.*)$/.exec(line)!);
  const statuses = lines.map(([, status, meaning]) => `| ${status} | ${cell(meaning!)} |`).join('\n');
  return `# Command line

Every command of \`plimsoll\` with its options, as the program describes itself.

## For every command {#plimsoll}

${tableOf(program!.options)}
\`plimsoll help COMMAND\` prints the help of a command, \`plimsoll manual\` prints a manual page, and
\`plimsoll completion bash\` prints a script that completes commands and flags.

## Exit status {#exit-status}

| status | meaning |
|---|---|
${statuses}

${groups.join('\n\n')}
`;
}
