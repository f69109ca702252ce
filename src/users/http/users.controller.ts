import { Body, Controller, Delete, Get, HttpCode, Param, Post, Put, Query } from '@nestjs/common';
import {
  ChangeUserRequest,
  CopiedInvitation,
  CreateUserRequest,
  UserList,
  UserListQuery,
  UserView,
} from '../../contract/users/users.js';
import { For, PeopleOnly } from '../../platform/http/access.js';
import { SignedIn, type SignedInUser } from '../../platform/http/signed-in.js';
import { UserInvitations } from '../application/user-invitations.js';
import { UserManagement } from '../application/user-management.js';

@For('Admin')
@Controller('api/admin/user')
export class UsersController {
  constructor(
    private readonly users: UserManagement,
    private readonly invitations: UserInvitations,
  ) {}

  /** Lists the users. */
  @Get()
  list(@Query() query: UserListQuery): Promise<UserList> {
    return this.users.listUsers(query);
  }

  /**
   * Invites a user.
   * @refuses 409
   */
  @Post()
  create(@Body() form: CreateUserRequest): Promise<UserView> {
    return this.invitations.inviteUser(form);
  }

  /** Reads a user. */
  @Get(':id')
  get(@Param('id') id: string): Promise<UserView> {
    return this.users.getUser(id);
  }

  /**
   * Changes a user.
   * @refuses 409
   */
  @Put(':id')
  change(@Param('id') id: string, @Body() form: ChangeUserRequest): Promise<UserView> {
    return this.users.changeUser(id, form);
  }

  /**
   * Deletes a user.
   * @refuses 409
   */
  @Delete(':id')
  @HttpCode(204)
  delete(@Param('id') id: string, @SignedIn() admin: SignedInUser): Promise<void> {
    return this.users.deleteUser(id, admin.id);
  }

  /**
   * Sends the invitation again.
   * @refuses 409
   * @refuses 429
   */
  @Post(':id/resend-confirmation')
  @HttpCode(204)
  inviteAgain(@Param('id') id: string): Promise<void> {
    return this.invitations.inviteAgain(id);
  }

  /**
   * Creates a link by which a user accepts the invitation, which only this answer tells.
   *
   * Where no mail server is configured, an administrator hands it to the user. It ends the link before.
   * @refuses 409
   * @refuses 429
   */
  @Post(':id/invitation-link')
  @PeopleOnly()
  copyLink(@Param('id') id: string): Promise<CopiedInvitation> {
    return this.invitations.copyLink(id);
  }
}
