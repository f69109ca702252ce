import type { TFunction } from 'i18next';
import type {
  ApplicationType,
  RequiredAcr,
  SecurityProfile,
} from '../../../../../../src/contract/rules/client-values.js';
import {
  type ClientField,
  emptyForAll,
  lifetimeFields,
} from '../../../../../../src/contract/rules/clients/client-fields.js';
import { parseLifetime } from '../../../../../../src/contract/rules/lifetime.js';
import { exactDuration } from '../../../../shared/i18n/language.js';
import '../words/en.js';

const longest = 48;

/** A value as it stands within a sentence; undefined for one that is too long for that. */
export function shortValue(t: TFunction, field: ClientField, value: unknown): string | undefined {
  if (typeof value === 'boolean') return t(value ? 'clientEdit.on' : 'clientEdit.off');
  if (field === 'applicationType') return t(`clients.applicationTypes.${value as ApplicationType}`);
  if (field === 'securityProfile') return t(`clients.profiles.${value as SecurityProfile}`);
  if (field === 'requiredAcr') return t(`clients.requiredAcrs.${value as RequiredAcr}`);
  if (Array.isArray(value) && value.length === 0) {
    return t(emptyForAll.includes(field) ? 'clientEdit.all' : 'clientEdit.none');
  }
  const text = Array.isArray(value) && value.every((one) => typeof one === 'string') ? value.join(', ') : value;
  if (typeof text !== 'string' || text.length > longest) return undefined;
  if (text === '' && field === 'maxAuthenticationAge') return t('clientEdit.noLimit');
  if (text === '') return t(field === 'consentLifetime' ? 'clientEdit.noEnd' : 'clientEdit.none');
  const seconds = (lifetimeFields as readonly ClientField[]).includes(field) ? parseLifetime(text) : undefined;
  return seconds === undefined ? text : exactDuration(seconds);
}
