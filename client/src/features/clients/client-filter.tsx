import CheckboxGroup from 'antd/es/checkbox/Group';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import {
  type ClientType,
  clientTypes,
  grantTypes,
  type SecretFilter,
  type SmartSubject,
  secretFilters,
  smartSubjects,
} from '../../../../src/contract/rules/client-values.js';
import { clientSortColumns } from '../../../../src/contract/rules/lists.js';
import { type Act, acts } from '../../../../src/contract/rules/scopes/access-summary.js';
import { useTagsQuery } from '../../api/clients/tags.js';
import type { ListShape, ListState } from '../../shared/list/list-state.js';
import { type ChangeFilters, type FilterChip, FilterGroup, useFilters } from '../../shared/list/list-tools.js';
import { TagMark } from '../../shared/ui/marks/tag-mark.js';
import styles from './clients-page.module.css';
import './tags/words/en.js';

type SortColumn = (typeof clientSortColumns)[number];
type Filter = 'isEnabled' | 'clientTypes' | 'grantTypes' | 'secretStates' | 'permissions' | 'subjects' | 'tags';
export type ClientListState = ListState<SortColumn, Filter>;

const states = ['true', 'false'] as const;

export const clientList: ListShape<SortColumn, Filter> = {
  sortColumns: clientSortColumns,
  defaultPageSize: 10,
  filters: {
    isEnabled: states,
    clientTypes,
    grantTypes,
    secretStates: secretFilters,
    permissions: acts,
    subjects: smartSubjects,
    // The existing tags are known only later; the server refuses values that are not ids.
    tags: /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
  },
};

/** The filter of the list: its fields, and a chip for each value. */
export function useClientFilter(
  { filters }: ClientListState,
  onChange: ChangeFilters<Filter>,
  skip: boolean,
): { fields: ReactNode; chips: FilterChip[] } {
  const { t } = useTranslation();
  const { data: tags } = useTagsQuery(undefined, { skip, refetchOnMountOrArgChange: true });
  const { set, chip } = useFilters(filters, onChange);
  const stateText = (value: string) => t(value === 'true' ? 'clients.enable' : 'clients.disable');
  const typeText = (value: string) => t(`clients.types.${value as ClientType}`);
  const secretText = (value: string) => t(`clients.secretState.${value as SecretFilter}`);
  const subjectText = (value: string) => t(`clients.subjects.${value as SmartSubject}`);
  const tagChip = (id: string): FilterChip => {
    const tag = tags?.find((one) => one.id === id);
    return chip('tags', id, tag?.value ?? t('clients.unknownTag'), tag && <TagMark color={tag.color} />);
  };

  const fields = (
    <>
      <FilterGroup label={t('clients.status')}>
        <CheckboxGroup
          value={filters.isEnabled}
          onChange={(values) => set('isEnabled', values)}
          options={states.map((value) => ({ value, label: stateText(value) }))}
        />
      </FilterGroup>
      <FilterGroup label={t('clients.fields.clientType')}>
        <CheckboxGroup
          value={filters.clientTypes}
          onChange={(values) => set('clientTypes', values)}
          options={clientTypes.map((value) => ({ value, label: typeText(value) }))}
        />
      </FilterGroup>
      <FilterGroup label={t('clients.fields.allowedGrantTypes')}>
        <CheckboxGroup
          value={filters.grantTypes}
          onChange={(values) => set('grantTypes', values)}
          options={[...grantTypes]}
        />
      </FilterGroup>
      <FilterGroup label={t('clients.secrets')}>
        <CheckboxGroup
          value={filters.secretStates}
          onChange={(values) => set('secretStates', values)}
          options={secretFilters.map((value) => ({ value, label: secretText(value) }))}
        />
      </FilterGroup>
      <FilterGroup label={t('clients.permissions')}>
        <CheckboxGroup
          value={filters.permissions}
          onChange={(values) => set('permissions', values)}
          options={acts.map((value) => ({ value, label: t(`clients.acts.${value}`) }))}
        />
      </FilterGroup>
      <FilterGroup label={t('clients.access')}>
        <CheckboxGroup
          value={filters.subjects}
          onChange={(values) => set('subjects', values)}
          options={smartSubjects.map((value) => ({ value, label: subjectText(value) }))}
        />
      </FilterGroup>
      {tags && tags.length > 0 && (
        <FilterGroup label={t('tags.title')}>
          <CheckboxGroup
            value={filters.tags}
            onChange={(values) => set('tags', values)}
            options={tags.map(({ id, value, color }) => ({
              value: id,
              label: (
                <span className={styles.tagName}>
                  <TagMark color={color} />
                  {value}
                </span>
              ),
            }))}
          />
        </FilterGroup>
      )}
    </>
  );
  const chips = [
    ...filters.isEnabled.map((value) => chip('isEnabled', value, stateText(value))),
    ...filters.clientTypes.map((value) => chip('clientTypes', value, typeText(value))),
    ...filters.grantTypes.map((value) => chip('grantTypes', value, value)),
    ...filters.secretStates.map((value) => chip('secretStates', value, secretText(value))),
    ...filters.permissions.map((value) => chip('permissions', value, t(`clients.can.${value as Act}`))),
    ...filters.subjects.map((value) => chip('subjects', value, subjectText(value))),
    ...(tags ? filters.tags.map(tagChip) : []),
  ];
  return { fields, chips };
}
