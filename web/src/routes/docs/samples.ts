import curl from '../../../../deploy/samples/curl/run.sh?raw';
import adapt from '../../../../deploy/samples/generators/adapt.py?raw';
import generators from '../../../../deploy/samples/generators/run.sh?raw';
import python from '../../../../deploy/samples/python/run.sh?raw';
import pythonProgram from '../../../../deploy/samples/python/score.py?raw';
import typescript from '../../../../deploy/samples/typescript/run.sh?raw';
import typescriptProgram from '../../../../deploy/samples/typescript/score.mts?raw';
import { commandsOf, type Language } from '../../design/text/code';

interface Sample {
  title: string;
  note: string;
  commands: string;
  program?: { file: string; text: string; language: Language };
}

/** What deploy/samples/ holds, which a test runs. */
export const samples: readonly Sample[] = [
  { title: 'curl', note: 'Nothing to install; 7.84 or newer.', commands: commandsOf(curl) },
  {
    title: 'Python',
    note: 'A typed client for Python 3.11 and newer, made by openapi-python-client. Save the program and give the commands beside it. The package plimsoll (deploy/clients/python) adds retries, waiting for jobs, reading in pages and the same for asyncio.',
    commands: commandsOf(python),
    program: { file: 'score.py', text: pythonProgram, language: 'python' },
  },
  {
    title: 'TypeScript',
    note: 'Types from the contract and a client of six kilobytes, openapi-fetch. Node 22.18 and newer runs the program as it is.',
    commands: commandsOf(typescript),
    program: { file: 'score.mts', text: typescriptProgram, language: 'typescript' },
  },
  {
    title: 'Other languages',
    note: 'OpenAPI Generator, for example with LANGUAGES="go java rust cpp-restsdk". The program beside it adapts the contract for two of them.',
    commands: commandsOf(generators),
    program: { file: 'adapt.py', text: adapt, language: 'python' },
  },
];
