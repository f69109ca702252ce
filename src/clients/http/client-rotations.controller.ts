import { Body, Controller, Delete, Get, HttpCode, Param, Post, Put } from '@nestjs/common';
import {
  ClientRotations,
  RotationChange,
  RotationEnd,
  RotationRequest,
  RotationState,
  StartedRotation,
} from '../../contract/clients/secret-rotation.js';
import { For, Polled } from '../../platform/http/access.js';
import { SignedIn, type SignedInUser } from '../../platform/http/signed-in.js';
import { ClientSecretRotations } from '../application/client-rotations.js';

/** Rotations of shared secrets. */
@For('Admin')
@Controller('api/admin/client')
export class ClientRotationsController {
  constructor(private readonly rotations: ClientSecretRotations) {}

  /** Lists the rotations that are under way, the oldest first. */
  @Get('rotations')
  list(): Promise<ClientRotations> {
    return this.rotations.list();
  }

  /**
   * Reads the rotation of a client.
   *
   * The dialog asks every few seconds whether the new secret was used.
   */
  @Get(':id/rotation')
  @Polled()
  get(@Param('id') id: string): Promise<RotationState> {
    return this.rotations.stateOf(id);
  }

  /**
   * Starts a rotation: creates a second secret, which only this answer tells.
   * @refuses 409
   */
  @Post(':id/rotation')
  start(
    @Param('id') id: string,
    @Body() { replaces }: RotationRequest,
    @SignedIn() caller: SignedInUser,
  ): Promise<StartedRotation> {
    return this.rotations.start(id, replaces, caller);
  }

  /**
   * Records that the app has the new secret, or changes the end of the old one.
   * @refuses 409
   */
  @Put(':id/rotation')
  change(
    @Param('id') id: string,
    @Body() change: RotationChange,
    @SignedIn() caller: SignedInUser,
  ): Promise<RotationState> {
    return this.rotations.change(id, change, caller);
  }

  /**
   * Ends a rotation, with the new secret.
   * @refuses 409
   */
  @Post(':id/rotation/end')
  @HttpCode(200)
  end(@Param('id') id: string, @Body() end: RotationEnd, @SignedIn() caller: SignedInUser): Promise<RotationState> {
    return this.rotations.end(id, end, caller);
  }

  /**
   * Cancels a rotation: the new secret is removed.
   * @refuses 409
   */
  @Delete(':id/rotation')
  cancel(@Param('id') id: string, @SignedIn() caller: SignedInUser): Promise<RotationState> {
    return this.rotations.cancel(id, caller);
  }
}
