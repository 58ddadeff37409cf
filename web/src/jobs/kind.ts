import type { Component } from 'svelte';
import type { Job, JobSpec, Report } from '../services/jobs';

/** A kind's name as in the API. What is said of one kind takes its types by this name from openapi.yaml. */
export type KindName = JobSpec['kind'];

/** What a form component must export, so that the page around it can submit. */
export interface KindForm<Name extends KindName = KindName> {
  /** What is to be run, or null after the form has shown what is missing or wrong. */
  read: () => Extract<JobSpec, { kind: Name }>['args'] | null;
  /** The same while somebody types, without a word on what is missing; nothing until it can be run. */
  peek?: () => Extract<JobSpec, { kind: Name }>['args'] | undefined;
}

export interface FormProps {
  /** The server's complaints, by JSON pointer into the arguments: "/items/3/text". */
  errors: ReadonlyMap<string, string>;
  /** The id of a dataset that somebody wants a job on; only for kinds that take one. */
  dataset?: string;
  /** The path of a variant that has a page of its own. */
  variant?: string;
}

export interface ReportProps<Name extends KindName = KindName> {
  job: Job;
  report: Extract<Report, { kind: Name }>;
  /** Read by a link, perhaps without an account: nothing else of the team can be asked for. */
  shared?: boolean;
}

/** A job that runs by one click and ends in seconds. */
export type SampleJob<Name extends KindName = KindName> = () => Promise<Extract<JobSpec, { kind: Name }>>;

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
  /** Whether its form takes an uploaded dataset. */
  takesDataset?: true;
  /** The arguments with which such a job can be submitted again; nothing for one whose items came with it. */
  again?: (job: Job) => Extract<JobSpec, { kind: Name }>['args'] | undefined;
  /** What its form is for in particular, each with a page of its own at #/new/<kind>/<path>. */
  variants?: readonly { path: string; title: string; summary: string }[];
  /** Loaded when first shown, so that a kind costs nothing on the pages of the others. */
  Form: () => Promise<{ default: Component<FormProps, KindForm<Name>> }>;
  Report: () => Promise<{ default: Component<ReportProps<Name>> }>;
  /** Its guide in the documentation, at #/docs/guides/<kind>. */
  guide?: { title: string; lead: string; Content: Content };
  /** Its section of the settings, at #/settings/<path>, for all who may read jobs. */
  settings?: { path: string; title: string; Content: Content };
  /** What it answers at once, on top of the home page. */
  Answer?: Content;
  /** Offered to who has no job yet; loaded when it is asked for. */
  sampleJob: () => Promise<{ default: SampleJob<Name> }>;
  /** Its own building blocks, shown on #/style. */
  Sample?: Content;
  /** What a job without a name is called, where its title and a few words do not tell such jobs apart. */
  entitle?: (job: Job) => string | undefined;
  /** A few words for lists: "2,000 texts". */
  describe: (job: Job) => string;
}
