import type { Topic } from '../blocks/topic';

export interface Entry {
  /** Its address: #/docs/<name>. */
  name: string;
  title: string;
  lead: string;
  load: () => Promise<{ default: Topic }>;
}

/** The documentation beside that of the API and of the job kinds. Each is loaded when it is shown or searched. */
export const groups: readonly { title: string; topics: readonly Entry[] }[] = [
  {
    title: 'Use',
    topics: [
      { name: 'quick-start', title: 'Quick start', lead: 'From nothing to the first job’s report.', load: () => import('./quick-start.md?document') },
      { name: 'training', title: 'Training runs', lead: 'LoRA and QLoRA, several GPUs, configuration files, your own GPU, measuring back.', load: () => import('./training.md?document') },
      { name: 'data-and-teams', title: 'Data, schedules and teams', lead: 'Datasets and their versions, schedules, sharing, shares of the devices, webhooks.', load: () => import('./data-and-teams.md?document') },
      { name: 'roles', title: 'Roles', lead: 'What each role in a team may do, and what system admins may do.', load: () => import('./roles.md?document') },
      { name: 'commands', title: 'Command line', lead: 'Every command with its options.', load: () => import('./commands.json?document') },
    ],
  },
  {
    title: 'Operate',
    topics: [
      { name: 'operating', title: 'Operating', lead: 'Backup, upgrade, TLS, nodes, metrics and logs.', load: () => import('../../../../../deploy/OPERATING.md?document') },
      { name: 'architecture', title: 'Architecture', lead: 'The programs, the rooms of the server, and the path of a job.', load: () => import('../../../../../server/README.md?document') },
      { name: 'scaling', title: 'Beyond one machine', lead: 'A replicated database, several servers, Kubernetes, Slurm, and what to do when a part fails.', load: () => import('../../../../../deploy/SCALING.md?document') },
      { name: 'identity-provider', title: 'Sign in with your identity provider', lead: 'OpenID Connect, with roles from groups.', load: () => import('./identity-provider.md?document') },
      { name: 'settings', title: 'Settings', lead: 'Every setting with its default, values and variable.', load: () => import('./settings.json?document') },
    ],
  },
  {
    title: 'Help',
    topics: [
      { name: 'troubleshooting', title: 'Troubleshooting', lead: 'Failures, slowness and surprises, and what to do.', load: () => import('./troubleshooting.md?document') },
      { name: 'problems', title: 'Problems', lead: 'Every type of error that the API returns.', load: () => import('./problems.md?document') },
      { name: 'glossary', title: 'Glossary', lead: 'One word for one thing.', load: () => import('../../../../../server/GLOSSARY.md?document') },
    ],
  },
  {
    title: 'Evidence',
    topics: [
      { name: 'accuracy', title: 'How accurate it is', lead: 'Answers against real runs, reference implementations and published figures.', load: () => import('../../../../../tests/bench/results.json?document=accuracy') },
      { name: 'speed', title: 'How fast it is', lead: 'Beside other programs that do the same.', load: () => import('../../../../../tests/bench/results.json?document=speed') },
      { name: 'measured', title: 'What is measured', lead: 'Speed, memory and errors against their goals, and what is still unknown.', load: () => import('../../../../../tests/bench/results.json?document') },
    ],
  },
  {
    title: 'Appendix',
    topics: [
      { name: 'from-the-guides', title: 'Coming from the guides', lead: 'Equivalents of the scripts, flags, variables and tables of five guides.', load: () => import('./from-the-guides.md?document') },
    ],
  },
];

export const topics: readonly Entry[] = groups.flatMap((group) => group.topics);
export const topicNamed = (name: string): Entry | undefined => topics.find((topic) => topic.name === name);
