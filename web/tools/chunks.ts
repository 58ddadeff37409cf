import type { Rollup } from 'vite';

const building = /\/src\/(design|services)\//;

/** Puts what many pages share into two files instead of thirty little ones: what the first page needs anyway, and the
    rest. `first`: the ends of the paths of the modules that the first page shows. */
export function sharedChunks(first: readonly string[]): Rollup.GetManualChunk {
  let needed: Set<string> | undefined;
  return (id, { getModuleIds, getModuleInfo }) => {
    if (!building.test(id)) return undefined;
    needed ??= reach([...getModuleIds()].filter((one) => getModuleInfo(one)?.isEntry || first.some((end) => one.endsWith(end))), getModuleInfo);
    return needed.has(id) ? 'parts' : 'later';
  };
}

/** The modules and all that they import statically. */
function reach(from: readonly string[], getModuleInfo: Rollup.GetModuleInfo): Set<string> {
  const found = new Set<string>();
  const visit = (id: string) => {
    if (found.has(id)) return;
    found.add(id);
    getModuleInfo(id)?.importedIds.forEach(visit);
  };
  from.forEach(visit);
  return found;
}
