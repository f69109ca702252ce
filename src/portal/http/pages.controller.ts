import { extname } from 'node:path';
import { Controller, Get, NotFoundException, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { message } from '../../contract/messages/message.js';
import { Public } from '../../platform/http/access.js';
import { clientDocument } from '../../platform/http/client-document.js';
import { HttpBrowser } from '../../platform/http/http-browser.js';
import { Branding } from '../application/branding.js';
import { PreloadLinks } from '../application/preload-links.js';
import { type ClientFile, ClientFiles } from './client-files.js';

/** Addresses of calls and protocols: what is unknown below them is not a page of the client. */
const calls = /^\/(api|assets|connect|federation|health|metrics|smart-style)(\/|$)/;

/**
 * The React application, for every address that no other module answers; so this must be the last controller of all.
 */
@Public()
@Controller()
export class PagesController {
  constructor(
    private readonly files: ClientFiles,
    private readonly preloadLinks: PreloadLinks,
    private readonly branding: Branding,
  ) {}

  /** Browsers ask for the first on their own, the client's document names the second. */
  @Get(['favicon.ico', 'favicon.svg'])
  favicon(@Req() request: Request, @Res() response: Response): void {
    const own = this.branding.favicon;
    if (!own) {
      this.send(this.files.byAddress('/favicon.svg'), request, response);
      return;
    }
    response.set({
      'Content-Type': own.mimeType,
      'Cache-Control': 'public, max-age=3600',
      'Cross-Origin-Resource-Policy': 'same-origin',
      // An SVG that is opened by its address is a document and could run scripts.
      'Content-Security-Policy': "default-src 'none'; sandbox",
    });
    response.send(own.content);
  }

  @Get('{*path}')
  page(@Req() request: Request, @Res() response: Response): void {
    const file = this.files.byAddress(request.path);
    if (file || calls.test(request.path) || looksLikeFile(request.path) || !request.accepts('html')) {
      this.send(file, request, response);
      return;
    }
    const { head, body } = this.preloadLinks.forPage(request.url, new HttpBrowser(request, response).hasSession);
    const { html, headers } = clientDocument(head, body);
    response.set(headers).send(html);
  }

  private send(file: ClientFile | undefined, request: Request, response: Response): void {
    if (!file) throw new NotFoundException(message('address-unknown'));
    const encodings = Object.keys(file.compressed) as (keyof ClientFile['compressed'])[];
    const encoding = encodings.find((name) => request.acceptsEncodings(name));
    if (encodings.length > 0) response.vary('Accept-Encoding');
    if (encoding) response.set('Content-Encoding', encoding);
    response.type(extname(file.path)).set('Cross-Origin-Resource-Policy', 'same-origin');
    // The build puts a hash of the content into the names below /assets (security T-05).
    const immutable = request.path.startsWith('/assets/');
    response.sendFile((encoding && file.compressed[encoding]) ?? file.path, {
      // The list of files is what decides; the folder it lies in may well be a hidden one.
      dotfiles: 'allow',
      ...(immutable ? { immutable, maxAge: '1y' } : { maxAge: '1h' }),
    });
  }
}

function looksLikeFile(path: string): boolean {
  return /(^|\/)\.|\.[^/]*$/.test(path);
}
