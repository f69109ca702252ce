import type { KoaContextWithOIDC } from 'oidc-provider';
import { errorUri } from '../../platform/http/oauth-errors.js';
import { escapeHtml } from '../../platform/http/plain-page.js';
import { enginePaths } from '../domain/engine-paths.js';

/** Members of an OAuth error that Gatehouse completes (RFC 6749 §4.1.2.1, §5.2). */
export interface ErrorMembers {
  error: string;
  error_description?: string;
  error_uri?: string;
}

/**
 * Completes the error of an answer in each of its forms: a JSON body, a redirect, the page of
 * `response_mode=form_post`.
 */
export function completeError(ctx: KoaContextWithOIDC, complete: (error: ErrorMembers) => ErrorMembers): void {
  const { body, path } = ctx;
  if (isError(body)) {
    ctx.body = complete(body);
    return;
  }
  if (!path.startsWith(enginePaths.authorization)) return;
  const location = ctx.res.getHeader('Location');
  if (typeof location === 'string') ctx.set('Location', completedAt(location, complete));
  else if (typeof body === 'string' && body.includes('name="error"')) ctx.body = completedForm(body, complete);
}

/** Adds the address of the page that explains the error. */
export function withHelp(error: ErrorMembers): ErrorMembers {
  const uri = errorUri(error.error);
  return uri === undefined ? error : { ...error, error_uri: uri };
}

function isError(body: unknown): body is ErrorMembers {
  return typeof body === 'object' && body !== null && typeof (body as Partial<ErrorMembers>).error === 'string';
}

/** The redirect to the client, with the members in its query or its fragment; other redirects carry no `error`. */
function completedAt(location: string, complete: (error: ErrorMembers) => ErrorMembers): string {
  if (!URL.canParse(location)) return location;
  const url = new URL(location);
  const fragment = new URLSearchParams(url.hash.slice(1));
  const members = fragment.has('error') ? fragment : url.searchParams;
  const { error, error_description } = Object.fromEntries(members);
  if (error === undefined) return location;
  for (const [name, value] of Object.entries(complete({ error, ...(error_description && { error_description }) }))) {
    members.set(name, value);
  }
  if (members === fragment) url.hash = fragment.toString();
  return url.href;
}

const field = /<input type="hidden" name="(\w+)" value="([^"]*)"\/>/g;

function completedForm(html: string, complete: (error: ErrorMembers) => ErrorMembers): string {
  const fields = Object.fromEntries(
    [...html.matchAll(field)].map(([, name, value]) => [name, unescapeHtml(value ?? '')]),
  );
  const { error = '', error_description } = fields;
  const completed = complete({ error, ...(error_description && { error_description }) });
  const others = html.replace(field, (input, name: string) => (Object.hasOwn(completed, name) ? '' : input));
  const inputs = Object.entries(completed).map(
    ([name, value]) => `<input type="hidden" name="${name}" value="${escapeHtml(String(value))}"/>`,
  );
  return others.replace('</form>', () => `${inputs.join('')}</form>`);
}

const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'", '#x27': "'" };

function unescapeHtml(text: string): string {
  return text.replace(/&(amp|lt|gt|quot|#39|#x27);/g, (_, name: string) => entities[name] ?? '');
}
