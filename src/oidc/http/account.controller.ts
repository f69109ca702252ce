import { Controller, Get, Post, Query, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { Public } from '../../platform/http/access.js';
import { portalPath } from '../../platform/http/base-path.js';
import { errorDocument } from '../../platform/http/client-document.js';
import { plainPage } from '../../platform/http/plain-page.js';
import { AccountChoice, type AccountQuestion } from '../application/account-choice.js';

export const accountPath = '/connect/account';

/** The step of an account that cannot authorize clients, such as an administrator's, or that is of another tenant. */
@Controller(accountPath)
@Public()
export class AccountController {
  constructor(private readonly choice: AccountChoice) {}

  @Get()
  async ask(@Query('returnUrl') returnUrl: unknown, @Req() request: Request, @Res() response: Response): Promise<void> {
    const question = await this.choice.question(request, String(returnUrl));
    if (question === undefined) {
      refuse(response);
      return;
    }
    const { html, contentSecurityPolicy } = plainPage({
      ...wordsFor(question),
      action: portalPath(accountPath),
      hidden: { returnUrl: String(returnUrl) },
      buttons: [
        { name: 'choice', value: 'other', label: 'Use another account' },
        { name: 'choice', value: 'decline', label: 'Return to the app' },
      ],
      leadsTo: question.appOrigin,
    });
    response
      .set('Content-Security-Policy', contentSecurityPolicy)
      .set('Cache-Control', 'no-store')
      .type('html')
      .send(html);
  }

  @Post()
  async choose(@Req() request: Request, @Res() response: Response): Promise<void> {
    const { returnUrl, choice } = (request.body ?? {}) as Record<string, unknown>;
    const location = await this.choice.choose(request, response, String(returnUrl), choice === 'other');
    if (location === undefined) refuse(response);
    else response.set('Cache-Control', 'no-store').redirect(303, location);
  }
}

function wordsFor({ isAdministrator, tenantName }: AccountQuestion): { title: string; text: string } {
  if (isAdministrator) {
    return {
      title: 'This account cannot be used with apps',
      text: 'You are signed in as an administrator. Sign in with a patient or practitioner account, or go back to the app.',
    };
  }
  const where = tenantName === undefined ? 'records' : `records at ${tenantName}`;
  return {
    title: 'This account cannot be used here',
    text: `The app asks for ${where} that your account does not belong to. Use another account, or go back to the app.`,
  };
}

function refuse(response: Response): void {
  const { html, headers } = errorDocument(400);
  response.status(400).set(headers).send(html);
}
