import { join } from 'node:path';
import type { Rolldown } from 'vite';
import { type LoadedPage, loadedPages } from '../src/contract/rules/pages.js';

type Context = Rolldown.ChunkingContext;

const filesOf = ({ file, shell }: LoadedPage) =>
  [`features/${file}`, ...(shell ? [`app/shells/${shell}`] : [])].map((name) =>
    join(import.meta.dirname, 'src', `${name}.tsx`),
  );
/** The frame of each page's files. The one step of a flow that has fields to fill in is apart from the others. */
const shellOf = new Map(
  loadedPages.flatMap((page) =>
    filesOf(page).map((file) => [file, /launch-context-page/.test(file) ? 'choice' : (page.shell ?? 'none')]),
  ),
);
const loginFiles = new Set(loadedPages.filter(({ path }) => path === '/login').flatMap(filesOf));

/** Modules that pass on a whole library, of which a page needs a part. */
const barrel =
  /\/(?:react-i18next|@rc-component\/(?:form|input|util)|antd)\/(?:dist\/)?es(?:\/_util\/hooks)?\/index\.js$/;

/** The files of pages and shells that import a module, directly or through others. */
function pagesWith(id: string, context: Context, known = new Set<string>()): string[] {
  if (known.has(id)) return [];
  known.add(id);
  const importers = (context.getModuleInfo(id)?.importers ?? []).filter((one) => !barrel.test(one));
  return [...(shellOf.has(id) ? [id] : []), ...importers.flatMap((one) => pagesWith(one, context, known))];
}

const isAboutAccount = (page: string) => shellOf.get(page) === 'card-shell' || /\/account-settings-page/.test(page);

const steps: (string | undefined)[] = ['flow-shell', 'choice'];

/** The chunk of a module that several pages share. A page loads little that only others need. */
function sharedChunk(id: string, context: Context): string | null {
  const pages = pagesWith(id, context);
  if (pages.length < 2) return null;
  const frames = [...new Set(pages.map((page) => shellOf.get(page)))].sort();
  // The steps of a flow do not load the fields of the sign-in page.
  if (pages.some((page) => loginFiles.has(page))) return frames.includes('flow-shell') ? 'sign-in-flow' : 'sign-in';
  if (new Set(pages).size < 3) return null;
  // The menu that every area has loads the libraries of the admin area, but not what its pages have in common.
  const ofAdminPages = frames.join() === 'admin-shell' && !id.includes('/node_modules/');
  // The dashboard has no list, and no client.
  if (ofAdminPages && /\/(?:i18n\/(?:client-texts|en\/client)|client-rules\.en)/.test(id)) return 'client-texts';
  if (ofAdminPages && id.includes('/client/src/shared/list/')) return 'admin-lists';
  // What proves the user in the account settings, and in pages before them, is in no other page of the admin area. The page that
  // asks for a link needs no proof.
  if (frames.join() === 'admin-shell,card-shell' && pages.every(isAboutAccount)) {
    return pages.some((page) => /\/forgot-password-page/.test(page)) ? 'account' : 'account-proof';
  }
  // Nor do rules for what is typed, and what signing out forgets, need the components that these pages share.
  if (frames.join() === 'admin-shell,card-shell' && !/\/node_modules\/|\.(?:tsx|css)$/.test(id)) return 'plain';
  if (!frames.includes('flow-shell')) return ofAdminPages ? 'admin-pages' : frames.join('-');
  if (frames.every((frame) => steps.includes(frame))) return 'flow';
  // Administrators do not load the words for scopes.
  return frames.includes('admin-shell') ? 'areas' : 'user-pages';
}

/** Few chunks, since each costs a phone a round trip to the server. */
export const groups = [
  { name: 'vendor', tags: ['$initial' as const], test: /node_modules/ },
  { name: 'core', tags: ['$initial' as const] },
  { name: sharedChunk, includeDependenciesRecursively: false },
];
