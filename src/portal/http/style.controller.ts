import { Controller, Get, NotFoundException, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { message } from '../../contract/messages/message.js';
import { Public } from '../../platform/http/access.js';
import { Branding } from '../application/branding.js';

/**
 * The style document for apps of any origin, without a token: it contains nothing but colours (`SMART 2.2` styling).
 */
@Controller('smart-style')
export class StyleController {
  constructor(private readonly branding: Branding) {}

  @Public()
  @Get(':file')
  read(@Req() request: Request, @Res() response: Response): void {
    const json = this.branding.styleAt(request.path);
    if (json === undefined) throw new NotFoundException(message('style-unknown'));
    response.set({
      'Cache-Control': 'public, max-age=31536000, immutable',
      'Access-Control-Allow-Origin': '*',
      'Cross-Origin-Resource-Policy': 'cross-origin',
    });
    response.type('json').send(json);
  }
}
