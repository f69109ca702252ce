import { Controller, Get, Param, Res } from '@nestjs/common';
import type { Response } from 'express';
import { oauthError } from '../../contract/activity/oauth-errors.js';
import { Public } from '../../platform/http/access.js';
import { allErrorsPage, errorHelpPage, type HelpPage, unknownErrorPage } from './help-pages.js';

/**
 * The pages of `error_uri` (RFC 6749 §4.1.2.1, §5.2), which explain a code to developers of apps, in English. They know
 * nothing about a request, so they need no session and are the same for everyone.
 */
@Public()
@Controller('help/errors')
export class HelpController {
  @Get()
  listErrors(@Res() response: Response): void {
    send(response, 200, allErrorsPage());
  }

  @Get(':code')
  explainError(@Param('code') code: string, @Res() response: Response): void {
    const error = oauthError(code);
    if (error) send(response, 200, errorHelpPage(code, error));
    else send(response, 404, unknownErrorPage());
  }
}

function send(response: Response, status: number, { html, contentSecurityPolicy }: HelpPage): void {
  response.status(status).set({
    'Content-Type': 'text/html; charset=utf-8',
    // The style's nonce is new in each answer.
    'Cache-Control': 'no-store',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Content-Security-Policy': contentSecurityPolicy,
  });
  response.send(html);
}
