import { Controller, Get, NotFoundException, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { message } from '../../contract/messages/message.js';
import { Public } from '../../platform/http/access.js';
import { ApiDescription } from './api-description.js';

@Public()
@Controller('api/openapi.json')
export class ApiDescriptionController {
  constructor(private readonly description: ApiDescription) {}

  /**
   * Describes this API, in OpenAPI 3.1.
   *
   * The description is the same for every caller; it contains nothing about clients and users.
   * @answers 200 application/json
   * @answers 304
   * @refuses 404
   */
  @Get()
  async read(@Req() request: Request, @Res() response: Response): Promise<void> {
    const description = await this.description.read();
    if (!description) throw new NotFoundException(message('address-unknown'));
    const isGzipped = request.acceptsEncodings('gzip', 'identity') === 'gzip';
    // A caller asks each time whether it has changed, which a new release does.
    response.set('Cache-Control', 'public, no-cache').vary('Accept-Encoding').type('json');
    response.set('ETag', `"${description.tag}${isGzipped ? '-gzip' : ''}"`);
    if (isGzipped) response.set('Content-Encoding', 'gzip');
    response.send(isGzipped ? description.gzipped : description.json);
  }
}
