import { cell } from './cell';

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
  passwords: 'Passwords',
  metrics: 'Metrics',
  database: 'Database',
  engine: 'Workers',
  retention: 'Retention',
  devices: 'Devices',
  webhooks: 'Webhooks',
  log: 'Logs',
  oidc: 'Identity provider',
  models: 'Models',
  sentiment: 'Sentiment',
  llm: 'Language models',
  training: 'Training advice',
};

/** What `plimsoll serve --print-config --json` says, as a page. */
export function settingsPage({ settings, without_effect }: Settings): string {
  const groups = [...new Set(settings.map(({ key }) => key.split('.')[0]!))].map((group) => {
    const rows = settings
      .filter(({ key }) => key.startsWith(`${group}.`))
      .map(({ key, value, environment, unit, help }) => `| \`${key}\` | ${value === '' ? 'empty' : `\`${value}\``} | ${cell(unit)} | ${cell(help)}. \`${environment}\` |`);
    return `## ${titles[group] ?? group} {#${group}}\n\n| setting | default | values | meaning |\n|---|---|---|---|\n${rows.join('\n')}`;
  });
  const unused = without_effect.map(({ environment, reason }) => `| \`${environment}\` | ${cell(reason)} |`);
  return `# Settings

Flags override the environment, which overrides the file of \`--config\`, which overrides defaults.

## How to set one {#how}

\`http.port\` is \`http: {port: 7272}\` in the YAML file, \`PLIMSOLL_HTTP_PORT\` in the environment and \`--http.port\` as a flag.
The server does not start with an unknown key or an invalid value, and names it. Print the settings in effect, or check them:

\`\`\`sh
plimsoll serve --print-config
plimsoll serve --check-config
\`\`\`

${groups.join('\n\n')}

## Variables without effect {#without-effect}

These variables belong to the systems that Plimsoll replaces, and have no effect here.

| variable | why |
|---|---|
${unused.join('\n')}
`;
}
