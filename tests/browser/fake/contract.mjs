// The real contract: the pages that show it are tested with nothing less.
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

export const contract = parse(readFileSync(new URL('../../../openapi.yaml', import.meta.url), 'utf8'), { merge: true });
