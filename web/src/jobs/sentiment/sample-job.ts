import type { SampleJob } from '../kind';

export default (async () => ({
  kind: 'sentiment',
  name: 'Sample: three headlines',
  args: {
    texts: [
      'Shipyard wins record order and hires 400 welders',
      'Storm damage closes the container terminal for weeks',
      'Ferry timetable for the summer published',
    ],
  },
})) satisfies SampleJob<'sentiment'>;
