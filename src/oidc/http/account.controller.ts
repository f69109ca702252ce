import { Controller, Get, Post, Query, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { FlowApp } from '../../contract/authorization.js';
import { message } from '../../contract/messages/message.js';
import { initials } from '../../contract/rules/initials.js';
import { Public } from '../../platform/http/access.js';
import { portalPath } from '../../platform/http/base-path.js';
import { errorDocument } from '../../platform/http/client-document.js';
import { CallingBrowser, HttpBrowser } from '../../platform/http/http-browser.js';
import { type PlainPage, plainPage } from '../../platform/http/plain-page.js';
import { AccountChoice, type AccountQuestion } from '../application/account-choice.js';

export const accountPath = '/connect/account';

/** The step of an account that cannot authorize clients, such as an administrator's, or that is of another tenant. */
@Controller(accountPath)
@Public()
export class AccountController {
  constructor(private readonly choice: AccountChoice) {}

  @Get()
  async question(
    @Query('returnUrl') returnUrl: unknown,
    @CallingBrowser() browser: HttpBrowser,
    @Res() response: Response,
  ): Promise<void> {
    const question = await this.choice.question({ returnUrl: String(returnUrl), browser });
    if (question === undefined) {
      refuse(response);
      return;
    }
    const { html, contentSecurityPolicy } = plainPage({
      ...wordsFor(question),
      ...(question.app && { app: placeOf(question.app) }),
      action: portalPath(accountPath),
      hidden: { returnUrl: String(returnUrl) },
      buttons: [
        { name: 'choice', value: 'other', label: message('account-use-other') },
        { name: 'choice', value: 'decline', label: message('account-return-to-app') },
      ],
      leadsOut: true,
    });
    response
      .set('Content-Security-Policy', contentSecurityPolicy)
      .set('Cache-Control', 'no-store')
      .type('html')
      .send(html);
  }

  @Post()
  async choose(
    @Req() request: Request,
    @CallingBrowser() browser: HttpBrowser,
    @Res() response: Response,
  ): Promise<void> {
    const { returnUrl, choice } = (request.body ?? {}) as Record<string, unknown>;
    const location = await this.choice.choose({ returnUrl: String(returnUrl), browser }, choice === 'other');
    if (location === undefined) refuse(response);
    else response.set('Cache-Control', 'no-store').redirect(303, location);
  }
}

function wordsFor({ isAdministrator, tenantName: tenant }: AccountQuestion): Pick<PlainPage, 'title' | 'text'> {
  if (isAdministrator) {
    return { title: message('account-of-administrator-title'), text: message('account-of-administrator-text') };
  }
  return {
    title: message('account-elsewhere-title'),
    text:
      tenant === undefined ? message('account-elsewhere-text') : message('account-of-other-tenant-text', { tenant }),
  };
}

/** As on the other pages of an app's request. */
function placeOf({ clientName, returnHost }: FlowApp): PlainPage['app'] {
  return {
    monogram: initials(clientName),
    text: message('account-for-app', { app: clientName }),
    host: returnHost,
  };
}

function refuse(response: Response): void {
  const { html, headers } = errorDocument(400);
  response.status(400).set(headers).send(html);
}
