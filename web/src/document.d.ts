/** A file that `tools/documents` turns into a page of the documentation: Markdown, or data that it describes. */
declare module '*?document' {
  import type { Topic } from './routes/docs/blocks/topic';

  const topic: Topic;
  export default topic;
}

declare module '*?document=accuracy' {
  import type { Topic } from './routes/docs/blocks/topic';

  const topic: Topic;
  export default topic;
}

declare module '*?document=speed' {
  import type { Topic } from './routes/docs/blocks/topic';

  const topic: Topic;
  export default topic;
}
