import { randomBytes } from 'node:crypto';
import type { Message } from '../../contract/messages/message.js';
import { currentLanguage } from '../language/languages.js';

export interface PlainPage {
  /** The app whose request waits, above the title. */
  app?: { monogram: string; text: Message; host: string };
  title: Message;
  text: Message;
  action: string;
  hidden?: Record<string, string>;
  /** The first button is the primary one. */
  buttons: { name: string; value: string; label: Message }[];
  /**
   * True if the form's response may redirect to an app: the page then has no `form-action` ({@link withoutFormAction}).
   */
  leadsOut?: boolean;
  link?: { href: string; label: Message };
  /** Submits the form with the first button as soon as the page is loaded. */
  submitAtOnce?: boolean;
}

/** The colours and the type of pages without the React application. */
export const plainStyle = `
:root { color-scheme: light dark; --page: #F5F7F9; --card: #FFFFFF; --text: #17222B; --lead: #4B5A66; --edge: #C6D0D7; --accent: #0A6375; --link: #0A6375; --tint: #E3EFF2 }
@media (prefers-color-scheme: dark) { :root { --page: #0F1519; --card: #161E24; --text: #E8EEF1; --lead: #AFBDC6; --edge: #3D4D57; --accent: #18788B; --link: #70C8D7; --tint: #17323A } }
body { margin: 0; min-height: 100vh; background: var(--page); color: var(--text);
  font: 16px/24px 'Inter Variable', Inter, -apple-system, BlinkMacSystemFont, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif }
:focus-visible { outline: 2px solid #3C8FA0; outline-offset: 2px }`;

const style = `${plainStyle}
body { display: grid; place-items: center }
main { box-sizing: border-box; width: min(440px, 100vw - 32px); padding: 40px; border-radius: 16px; background: var(--card);
  box-shadow: 0 1px 2px rgba(16,28,38,.06), 0 12px 32px -8px rgba(16,28,38,.18) }
@media (max-width: 575px) { main { padding: 28px 20px } }
h1 { margin: 0 0 8px; font-size: 28px; line-height: 36px; font-weight: 600; letter-spacing: -.015em }
p { margin: 0 0 28px; color: var(--lead) }
.app { display: flex; align-items: center; gap: 12px; margin: 0 0 20px; padding: 0 0 20px; border-bottom: 1px solid var(--edge); color: var(--text);
  overflow-wrap: anywhere }
.app > span:last-child { min-width: 0; font-weight: 600 }
.app small { display: block; color: var(--lead); font-size: 14px; font-weight: 400; line-height: 20px }
.mark { flex: none; display: grid; place-items: center; width: 44px; height: 44px; border-radius: 12px; background: var(--tint); color: var(--link);
  font-weight: 600; font-size: 17px; line-height: 1 }
button, a { box-sizing: border-box; display: block; width: 100%; min-height: 48px; margin: 0 0 12px; padding: 11px 16px; border-radius: 8px;
  border: 1px solid var(--edge); background: transparent; color: var(--text); font: inherit; font-weight: 500; text-align: center; text-decoration: none; cursor: pointer }
button:first-of-type { background: var(--accent); border-color: var(--accent); color: #FFFFFF }
a { border-color: transparent; color: var(--link); margin: 0 }`;

/**
 * A page that works without the React application, in the language of the request: one question and a form that answers
 * it, for cases in which the engine itself has to ask. Its Content-Security-Policy permits exactly its own style and
 * script. Under the referrer policy of all other pages browsers would post its form with the origin `null`, as those of
 * other sites do.
 */
export function plainPage(page: PlainPage): { html: string; contentSecurityPolicy: string } {
  const nonce = randomBytes(16).toString('base64');
  const language = currentLanguage();
  const write = (message: Message) => escapeHtml(language.render(message));
  const hidden = Object.entries(page.hidden ?? {})
    .map(([name, value]) => `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">`)
    .join('');
  const buttons = page.buttons
    .map(
      ({ name, value, label }) =>
        `<button name="${escapeHtml(name)}" value="${escapeHtml(value)}">${write(label)}</button>`,
    )
    .join('');
  const app = page.app
    ? `<p class="app"><span class="mark" aria-hidden="true">${escapeHtml(page.app.monogram)}</span><span>${write(page.app.text)}<small><bdi dir="ltr">${escapeHtml(page.app.host)}</bdi></small></span></p>`
    : '';
  const link = page.link ? `<a href="${escapeHtml(page.link.href)}">${write(page.link.label)}</a>` : '';
  const script = page.submitAtOnce ? `<script nonce="${nonce}">document.querySelector('button').click()</script>` : '';
  const policy = `default-src 'none'; style-src 'nonce-${nonce}'; script-src 'nonce-${nonce}'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`;
  return {
    html: `<!doctype html><html lang="${language.tag}" dir="${language.direction}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="referrer" content="same-origin">
<title>${write(page.title)}</title><style nonce="${nonce}">${style}</style></head>
<body><main>${app}<h1>${write(page.title)}</h1><p>${write(page.text)}</p>
<form method="post" action="${escapeHtml(page.action)}">${hidden}${buttons}</form>${link}</main>${script}</body></html>`,
    contentSecurityPolicy: page.leadsOut ? withoutFormAction(policy) : policy,
  };
}

/**
 * The Content-Security-Policy of a page whose form leads to a registered address. Browsers apply `form-action` to each
 * redirect that follows the form, also to those of the app, which may lead to any origin.
 */
export function withoutFormAction(policy: string): string {
  return policy.replace(/ ?form-action 'self';/, '');
}

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
