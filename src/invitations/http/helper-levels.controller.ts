import { Body, Controller, HttpCode, Param, Put } from '@nestjs/common';
import { ChangeLevelRequest } from '../../contract/representation.js';
import { AboutRepresentation, For } from '../../platform/http/access.js';
import { CallingBrowser, HttpBrowser } from '../../platform/http/http-browser.js';
import { HelperLevels } from '../application/helper-levels.js';

@For('Patient')
@AboutRepresentation()
@Controller('api/representation')
export class HelperLevelsController {
  constructor(private readonly levels: HelperLevels) {}

  /**
   * Gives another level, as the patient, to who acts for the user.
   *
   * It counts from the next request on. More than before needs a recent sign-in, or a proof of the user.
   * @refuses 409
   */
  @Put(':id/level')
  @HttpCode(204)
  change(
    @Param('id') id: string,
    @Body() asked: ChangeLevelRequest,
    @CallingBrowser() browser: HttpBrowser,
  ): Promise<void> {
    return this.levels.change(browser, id, asked);
  }
}
