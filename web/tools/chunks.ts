import type { Rollup } from 'vite';

const building = /\/src\/(design|services)\//;
const ofPage = /\/src\/routes\/[^/]+\/./;

/** Loads the scripts of a part; every page has parts. */
const loader = 'vite/preload-helper';

/** Puts what many pages share into a few files instead of thirty little ones: what the first page needs anyway, what it
    borrows from other pages, and the rest. `first`: the ends of the paths of the modules that the first page shows. */
export function sharedChunks(first: readonly string[]): Rollup.GetManualChunk {
  let needed: Set<string> | undefined;
  return (id, { getModuleIds, getModuleInfo }) => {
    if (id.includes(loader)) return 'parts';
    if (!building.test(id) && !ofPage.test(id)) return undefined;
    needed ??= reach([...getModuleIds()].filter((one) => getModuleInfo(one)?.isEntry || first.some((end) => one.endsWith(end))), getModuleInfo);
    if (building.test(id) && needed.has(id)) return 'parts';
    // What one part alone uses would make all others larger.
    if (building.test(id)) return getModuleInfo(id)!.importers.length > 1 ? 'later' : undefined;
    return needed.has(id) && getModuleInfo(id)!.importers.length > 1 ? 'borrowed' : undefined;
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
