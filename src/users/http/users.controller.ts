import { Body, Controller, Post } from '@nestjs/common';
import { CreateUserRequest, type UserView } from '../../contract/users.js';
import { For } from '../../platform/http/access.js';
import { UserManagement } from '../application/user-management.js';

@For('Admin')
@Controller('api/admin/user')
export class UsersController {
  constructor(private readonly users: UserManagement) {}

  @Post()
  create(@Body() form: CreateUserRequest): Promise<UserView> {
    return this.users.inviteUser(form);
  }
}
