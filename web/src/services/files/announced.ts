import { bytes } from '../../design/text/format';
import { largestFile, type NewDataset } from '../datasets';
import { looksLikeJsonl, UnreadableFile } from './records';

const looked = 64 * 1024; // bytes; more than any header line

/** The declaration of a file before its upload. Throws UnreadableFile if the server would refuse the file. */
export async function announcementOf(file: File): Promise<NewDataset> {
  if (file.size === 0) throw new UnreadableFile('The file is empty.');
  if (file.size > largestFile) {
    throw new UnreadableFile(`The file is ${bytes(file.size)}; a dataset may be at most ${bytes(largestFile)}.`);
  }
  const head = await file.slice(0, looked).text();
  const named = /\.(jsonl|ndjson)$/i.test(file.name);
  const format = named || looksLikeJsonl(head) ? 'jsonl' : 'csv';
  return { name: file.name.slice(0, 200), format, bytes: file.size };
}
