interface Setting {
  key: string;
  value: string;
  environment: string;
  unit: string;
  help: string;
}

export interface Settings {
  settings: readonly Setting[];
  without_effect: readonly { environment: string; reason: string }[];
}

const titles: Record<string, string> = {
  http: 'HTTP',
  limits: 'Limits',
  metrics: 'Metrics',
  database: 'Database',
  engine: 'Workers',
  retention: 'Retention',
  devices: 'Devices',
  webhooks: 'Webhooks',
  log: 'Logs',
  models: 'Models',
  sentiment: 'Sentiment',
  llm: 'Language models',
  training: 'Training advice',
};
const cell = (text: string) => text.replace(/\|/g, '\\|').replace(/\*/g, '\\*');

/** What `plimsoll serve --print-config --json` says, as a page. */
export function settingsPage({ settings, without_effect }: Settings): string {
  const groups = [...new Set(settings.map(({ key }) => key.split('.')[0]!))].map((group) => {
    const rows = settings
      .filter(({ key }) => key.startsWith(`${group}.`))
      .map(({ key, value, environment, unit, help }) => `| \`${key}\` | ${value === '' ? 'empty' : `\`${value}\``} | ${cell(unit)} | ${cell(help)}. \`${environment}\` |`);
    return `## ${titles[group] ?? group} {#${group}}\n\n| setting | default | values | meaning and variable |\n|---|---|---|---|\n${rows.join('\n')}`;
  });
  const unused = without_effect.map(({ environment, reason }) => `| \`${environment}\` | ${cell(reason)} |`);
  return `# Settings

Defaults, then the file of \`--config\`, then the environment, then flags: the last that names a setting wins.

## How to set one {#how}

\`http.port\` is \`http: {port: 7272}\` in the YAML file, \`PLIMSOLL_HTTP_PORT\` in the environment and \`--http.port\` as a flag.
An unknown key or a wrong value prevents the start and is named. This prints all settings as they are, and checks them:

\`\`\`sh
plimsoll serve --print-config
plimsoll serve --check-config
\`\`\`

${groups.join('\n\n')}

## Variables without effect {#without-effect}

They belong to the systems that Plimsoll replaces and change nothing here.

| variable | why |
|---|---|
${unused.join('\n')}
`;
}
