import { Controller, Get, Param, Res } from '@nestjs/common';
import type { Response } from 'express';
import { Receipt } from '../../contract/own-record/receipts.js';
import { For } from '../../platform/http/access.js';
import { SignedIn, type SignedInUser } from '../../platform/http/signed-in.js';
import { Receipts } from '../application/receipts.js';

@Controller('api/receipt')
@For('Patient', 'Practitioner', 'RelatedPerson')
export class ReceiptsController {
  constructor(private readonly receipts: Receipts) {}

  /** Reads a receipt of access that was taken back. */
  @Get(':id')
  get(@Param('id') id: string, @SignedIn() user: SignedInUser): Promise<Receipt> {
    return this.receipts.get(user.id, id);
  }

  /**
   * Sends a receipt as plain text.
   * @answers 200 text/plain
   */
  @Get(':id/text')
  async text(@Param('id') id: string, @SignedIn() user: SignedInUser, @Res() response: Response): Promise<void> {
    sendFile(response, `receipt-${id}.txt`, 'text/plain; charset=utf-8', await this.receipts.text(user.id, id));
  }

  /**
   * Sends a receipt with a signature, as a JSON Web Token.
   *
   * RFC 7519 §10.3.1 registers the media type.
   * @answers 200 application/jwt
   */
  @Get(':id/jwt')
  async jwt(@Param('id') id: string, @SignedIn() user: SignedInUser, @Res() response: Response): Promise<void> {
    sendFile(response, `receipt-${id}.jwt`, 'application/jwt', await this.receipts.jwt(user.id, id));
  }
}

function sendFile(response: Response, name: string, type: string, content: string): void {
  response.attachment(name).type(type).send(content);
}
