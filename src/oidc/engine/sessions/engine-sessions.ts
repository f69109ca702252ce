import { Injectable } from '@nestjs/common';
import { HttpBrowser } from '../../../platform/http/http-browser.js';
import type { Browser } from '../../../platform/request/browser.js';
import { Engine } from '../shared/engine.js';
import type { Session } from '../shared/engine-models.js';
import { nowSeconds } from '../shared/lifetimes.js';

/** The engine's session of a browser, found by its cookie. */
@Injectable()
export class EngineSessions {
  constructor(private readonly engine: Engine) {}

  create(): Session {
    return new this.engine.provider.Session();
  }

  /** A new session, which is not stored, when the browser has none. */
  load(browser: Browser): Promise<Session> {
    const { request, response } = httpBrowser(browser);
    return this.engine.provider.Session.get(this.engine.provider.createContext(request, response) as never);
  }

  /** Stores the session for so many seconds; a remembered one also outlives the browser. */
  async save(browser: Browser, session: Session, seconds: number, remembered: boolean): Promise<void> {
    await session.save(seconds);
    const expires = remembered ? { expires: new Date((nowSeconds() + seconds) * 1000) } : {};
    this.setCookie(browser, session.jti, { httpOnly: true, sameSite: 'lax', ...expires });
  }

  async destroy(browser: Browser, session: Session): Promise<void> {
    await session.destroy();
    this.setCookie(browser, null, {});
  }

  private setCookie(browser: Browser, value: string | null, attributes: CookieAttributes): void {
    const { request, response, cookies } = httpBrowser(browser);
    const context = this.engine.provider.createContext(request, response);
    context.cookies.secure = cookies.secure;
    context.cookies.set(cookies.session, value, { path: cookies.path, ...attributes });
  }
}

interface CookieAttributes {
  httpOnly?: boolean;
  sameSite?: 'lax';
  expires?: Date;
}

/** The engine reads and writes its own signed cookies. */
function httpBrowser(browser: Browser): HttpBrowser {
  if (!(browser instanceof HttpBrowser)) throw new Error('a session needs the browser of an HTTP request');
  return browser;
}
