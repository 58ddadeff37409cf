import type { Component } from 'svelte';
import type { Job, JobSpec, Report } from '../services/jobs';

/** A kind's name as in the API. Code of one kind derives its types from openapi.yaml by this name. */
export type KindName = JobSpec['kind'];

/** What a form component must export, so that the page around it can submit. */
export interface KindForm<Name extends KindName = KindName> {
  /** The job to run, or null after the form has shown what is missing or wrong. */
  read: () => Extract<JobSpec, { kind: Name }>['args'] | null;
  /** The same while the user types, without errors; nothing until it can be run. */
  peek?: () => Extract<JobSpec, { kind: Name }>['args'] | undefined;
  /** Whether it waits for what the user chose: it cannot be submitted yet. */
  loading?: () => boolean;
}

export interface FormProps {
  /** The server's errors, by JSON pointer into the arguments: "/items/3/text". */
  errors: ReadonlyMap<string, string>;
  /** The ID of the dataset that the user chose for the job; only for kinds that take one. */
  dataset?: string;
  /** For a schedule: each run takes the last upload of the dataset's name, or waits for a new one. */
  repeated?: 'newest' | 'new';
  /** The path of a variant that has a page of its own. */
  variant?: string;
}

export interface ReportProps<Name extends KindName = KindName> {
  job: Job;
  report: Extract<Report, { kind: Name }>;
  /** Read by a link, perhaps without an account: no other data of the team is available. */
  shared?: boolean;
}

/** A job that runs with one click and ends in seconds. */
export type SampleJob<Name extends KindName = KindName> = () => Promise<Extract<JobSpec, { kind: Name }>>;

/** A figure of a report, under a name that it has in others, too. A kind's figures.ts gives those that decide between its
    reports, the most important first. */
export interface Figure {
  name: string;
  value: number | string | null;
  text: string;
  /** What makes one of two reports the better one; omitted where neither does. */
  better?: 'more' | 'less';
}

/** Values of a report over the batch size, under a name that others have, too: figures.ts may give some. */
export interface Curve {
  name: string;
  points: readonly (readonly [batch: number, value: number])[];
  text: (value: number) => string;
  /** What a round number of its values is: 2^30 for memory. */
  unit?: number;
}

/** A part of a page, loaded when first shown. */
type Content = () => Promise<{ default: Component }>;

/** The pages of one job kind: what a folder here exports from its index.ts as `kind`. */
export interface JobKind<Name extends KindName = KindName> {
  kind: Name;
  title: string;
  /** One sentence for the page that offers the kinds. */
  summary: string;
  /** What its progress counts, singular and plural: "text", "texts". */
  items: readonly [string, string];
  /** Whether its form accepts an uploaded dataset. */
  takesDataset?: true;
  /** The arguments with which such a job can be submitted again; nothing for one whose items came with it. */
  again?: (job: Job) => Extract<JobSpec, { kind: Name }>['args'] | undefined;
  /** Special uses of its form, each with its own page at #/new/<kind>/<path>. */
  variants?: readonly { path: string; title: string; summary: string }[];
  /** Loaded when first shown, so that a kind costs nothing on other pages. */
  Form: () => Promise<{ default: Component<FormProps, KindForm<Name>> }>;
  Report: () => Promise<{ default: Component<ReportProps<Name>> }>;
  /** Its guide in the documentation, at #/docs/guides/<kind>. */
  guide?: { title: string; lead: string; Content: Content };
  /** Its sections of the settings, each at #/settings/<path>, for all who may read jobs. */
  settings?: readonly { path: string; title: string; Content: Content }[];
  /** Its immediate answer, at the top of the home page. */
  Answer?: Content;
  /** Offered to users without jobs; loaded on demand. */
  sampleJob: () => Promise<{ default: SampleJob<Name> }>;
  /** The name of a job without one, if its title and a few words do not distinguish such jobs. */
  entitle?: (job: Job) => string | undefined;
  /** A few words for lists: "2,000 texts". */
  describe: (job: Job) => string;
}
