// The real contract: the pages that show it are tested with nothing less.
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { parse } from 'yaml';

export const contract = parse(readFileSync(new URL('../../../openapi.yaml', import.meta.url), 'utf8'), { merge: true });
/** As the server sends it to browsers. */
export const packedContract = gzipSync(JSON.stringify(contract));
