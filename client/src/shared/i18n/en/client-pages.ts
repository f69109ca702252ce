import { clientAdd } from './client-add.js';
import { clientEdit } from './client-edit.js';
import { clientEnding } from './client-ending.js';
import { clientForm } from './client-form.js';
import { clients, tags } from './clients.js';

/** The texts of the list of clients, of its forms, and of pages that name a field of theirs. */
export const clientTexts = { clientAdd, clientEdit, clientEnding, clientForm, clients, tags } as const;
