import { bytes } from '../../design/text/format';
import { largestFile, type NewDataset } from '../datasets';
import { looksLikeJsonl, UnreadableFile } from './records';

const looked = 64 * 1024; // bytes; more than any header line

/** What the server is told of a file before its bytes. Throws UnreadableFile where they would be refused anyway. */
export async function announcementOf(file: File): Promise<NewDataset> {
  if (file.size === 0) throw new UnreadableFile('The file is empty.');
  if (file.size > largestFile) {
    throw new UnreadableFile(`The file has ${bytes(file.size)}; a dataset has at most ${bytes(largestFile)}.`);
  }
  const head = await file.slice(0, looked).text();
  const named = /\.(jsonl|ndjson)$/i.test(file.name);
  const format = named || looksLikeJsonl(head) ? 'jsonl' : 'csv';
  return { name: file.name.slice(0, 200), format, bytes: file.size };
}
