import { basename, join } from 'node:path';
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

/** The files of pages, shells and what these load later, that import a module, directly or through others. */
function entriesWith(id: string, context: Context, known = new Set<string>()): string[] {
  if (known.has(id)) return [];
  known.add(id);
  const isEntry = laterImportersOf(id, context).length > 0;
  const importers = importersOf(id, context).flatMap((one) => (barrel.test(one) ? users(one, id, context) : [one]));
  return [...(isEntry ? [id] : []), ...importers.flatMap((one) => entriesWith(one, context, known))];
}

/** The files of pages and shells that load an entry: itself, or those that open a dialog. */
function loadersOf(entry: string, context: Context, known = new Set<string>()): string[] {
  if (shellOf.has(entry)) return [entry];
  if (known.has(entry)) return [];
  known.add(entry);
  const openers = laterImportersOf(entry, context).flatMap((one) => entriesWith(one, context));
  return openers.flatMap((one) => loadersOf(one, context, known));
}

function laterImportersOf(id: string, context: Context): readonly string[] {
  return context.getModuleInfo(id)?.dynamicImporters ?? [];
}

function importersOf(id: string, context: Context): readonly string[] {
  return context.getModuleInfo(id)?.importers ?? [];
}

/** The modules that import this module from a barrel: those in which its name is a word. */
function users(from: string, id: string, context: Context): string[] {
  const name = new RegExp(`\\b${basename(id, '.js')}\\b`);
  return importersOf(from, context).filter((one) => name.test(context.getModuleInfo(one)?.code ?? ''));
}

const isAboutAccount = (page: string) => shellOf.get(page) === 'card-shell' || /\/account-settings-page/.test(page);

const steps: (string | undefined)[] = ['flow-shell', 'choice'];

const isStep = (page: string) => steps.includes(shellOf.get(page));

/** The chunk of a module that several pages share. A page loads little that only others need. */
function sharedChunk(id: string, context: Context): string | null {
  const entries = entriesWith(id, context);
  if (entries.length < 2) return null;
  const pages = entries.filter((entry) => shellOf.has(entry));
  const loaders = [...new Set(entries.flatMap((entry) => loadersOf(entry, context)))];
  // Loaded by a step of a flow once it stands, without all else that other pages begin with.
  const isOfDialogs = loaders.some(isStep) && !pages.some(isStep);
  const [page] = pages;
  if (page === undefined) return isOfDialogs ? 'dialogs' : null;
  // What a page has in common with its own dialogs alone would be a chunk for each module.
  if (pages.length === 1 && loaders.length === 1) return page === id ? null : `parts-of-${basename(page, '.tsx')}`;
  const frames = [...new Set(pages.map((page) => shellOf.get(page)))].sort();
  // The steps of a flow do not load the fields of the sign-in page.
  if (pages.some((page) => loginFiles.has(page))) {
    return frames.includes('flow-shell') ? 'sign-in-flow' : isOfDialogs ? 'sign-in-dialogs' : 'sign-in';
  }
  if (pages.length > 1 && pages.every(isStep)) return 'flow';
  if (isOfDialogs) return pages.length < 3 ? 'dialogs' : 'page-dialogs';
  if (pages.length < 3) return null;
  // Most pages that name a level do not give one.
  if (/\/(?:kind-choice|level-choice|level-fields|rules\/representation\/level-text)\.tsx?$/.test(id))
    return 'level-choice';
  // The consent page, and most others, name no level.
  if (/\/client\/src\/shared\/levels\//.test(id)) return 'levels';
  // The menu that every area has loads the libraries of the admin area, but not what its pages have in common.
  const ofAdminPages = frames.join() === 'admin-shell' && !id.includes('/node_modules/');
  // The dashboard has no list, and no client.
  if (ofAdminPages && /\/features\/clients\/.*words\/|client-rules\.en/.test(id)) return 'client-texts';
  if (ofAdminPages && /\/client\/src\/shared\/(?:list\/(?!words\/|bulk\/watched)|ui\/marks\/words\/)/.test(id)) {
    return 'admin-lists';
  }
  // The page that asks for a link is the first that many users see after the sign-in page: it loads what it has in
  // common with others, and not what else these have, such as what proves a user.
  if (pages.some((page) => /\/forgot-password-page/.test(page))) {
    return frames.includes('user-shell') ? 'asking' : 'account';
  }
  // What proves the user in the account settings, and in pages before them, is in no other page of the admin area.
  if (/\/two-factor\/help-desk-contact/.test(id)) return 'account-proof';
  if (frames.join() === 'admin-shell,card-shell' && pages.every(isAboutAccount)) return 'account-proof';
  // Nor do rules for what is typed, and what signing out forgets, need the components that these pages share.
  if (frames.join() === 'admin-shell,card-shell' && !/\/node_modules\/|\.(?:tsx|css)$/.test(id)) return 'plain';
  if (ofAdminPages) return 'admin-pages';
  // A page of users has some of our components and icons in common with pages of administrators, and no menu or
  // tooltip.
  const isLibrary = frames.includes('user-shell') && !/\/client\/src\/|\/icons(?:-svg)?\//.test(id);
  if (!frames.includes('flow-shell')) return `${frames.join('-')}${isLibrary ? '-libraries' : ''}`;
  // Administrators do not load the words for scopes.
  return frames.includes('admin-shell') ? 'areas' : 'user-pages';
}

/** Few chunks, since each costs a phone a round trip to the server. */
export const groups = [
  { name: 'vendor', tags: ['$initial' as const], test: /node_modules/ },
  { name: 'core', tags: ['$initial' as const] },
  { name: sharedChunk, includeDependenciesRecursively: false },
];
