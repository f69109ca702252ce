import { Injectable } from '@nestjs/common';
import { chosenIds, csvOf } from '../../bulk/application/chosen-rows.js';
import type { UserChoice } from '../../contract/clients/bulk.js';
import type { UserView } from '../../contract/users/users.js';
import { Audit } from '../../platform/audit/audit.js';
import { UserViews } from '../domain/user-views.js';

const columns: Record<string, (user: UserView) => unknown> = {
  name: ({ fullName }) => fullName,
  email: ({ email }) => email,
  type: ({ userType }) => userType,
  sign_in: ({ isExternal }) => (isExternal ? 'external' : 'local'),
  email_confirmed: ({ emailConfirmed }) => emailConfirmed,
  fhir_user: ({ claims }) => claims.find(({ name }) => name === 'fhirUser')?.value,
  id: ({ id }) => id,
};

/** Users as a CSV file. */
@Injectable()
export class UserExports {
  constructor(
    private readonly views: UserViews,
    private readonly audit: Audit,
  ) {}

  /** The ids are read, and the export is recorded, when the promise resolves; the rows are read a page at a time. */
  async begin(choice: UserChoice): Promise<AsyncIterable<string>> {
    const ids = await chosenIds(choice, (filter, most) => this.views.ids(filter, most));
    await this.audit.record({
      type: 'list.exported',
      outcome: 'success',
      detail: { list: 'users', count: ids.length },
    });
    return csvOf(columns, ids, (page) => this.views.ofIds(page));
  }
}
