import { Input } from 'antd';
import CheckboxGroup from 'antd/es/checkbox/Group';
import { type ReactNode, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { listedUserTypes, userSortColumns } from '../../../../src/contract/rules/lists.js';
import { maxClaimValue } from '../../../../src/contract/rules/users/claims.js';
import type { ListShape, ListState } from '../../shared/list/list-state.js';
import { type ChangeFilters, type FilterChip, FilterGroup, useFilters } from '../../shared/list/list-tools.js';

type SortColumn = (typeof userSortColumns)[number];
type Filter = 'usertype' | 'isExternal' | 'hasClaimValue';
export type UserListState = ListState<SortColumn, Filter>;

export const userList: ListShape<SortColumn, Filter> = {
  sortColumns: userSortColumns,
  // The first option (`spec §9`).
  defaultPageSize: 5,
  filters: { usertype: listedUserTypes, isExternal: ['false', 'true'], hasClaimValue: null },
};

/** The filter of the list: its fields, and a chip for each value. */
export function useUserFilter(
  { filters }: UserListState,
  onChange: ChangeFilters<Filter>,
): { fields: ReactNode; chips: FilterChip[] } {
  const { t } = useTranslation();
  const { set, chip } = useFilters(filters, onChange);
  const signIn = (value: string) => t(value === 'true' ? 'users.external' : 'users.local');

  const fields = (
    <>
      <FilterGroup label={t('users.userType')}>
        <CheckboxGroup
          value={filters.usertype}
          onChange={(values) => set('usertype', values)}
          options={listedUserTypes.map((type) => ({ value: type, label: t(`roles.${type}`) }))}
        />
      </FilterGroup>
      <FilterGroup label={t('users.signIn')}>
        <CheckboxGroup
          value={filters.isExternal}
          onChange={(values) => set('isExternal', values)}
          options={['false', 'true'].map((value) => ({ value, label: signIn(value) }))}
        />
      </FilterGroup>
      <ClaimValue value={filters.hasClaimValue[0] ?? ''} onChange={(value) => set('hasClaimValue', value)} />
    </>
  );
  const chips = [
    ...listedUserTypes
      .filter((type) => filters.usertype.includes(type))
      .map((type) => chip('usertype', type, t(`roles.${type}`))),
    ...filters.isExternal.map((value) => chip('isExternal', value, signIn(value))),
    ...filters.hasClaimValue.map((value) => chip('hasClaimValue', value, t('users.claimChip', { value }))),
  ];
  return { fields, chips };
}

/** Taken when it is finished: the server looks for the whole value. */
function ClaimValue({ value, onChange }: { value: string; onChange: (values: string[]) => void }) {
  const { t } = useTranslation();
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  const take = () => {
    const wanted = text.trim();
    if (wanted !== value) onChange(wanted === '' ? [] : [wanted]);
  };
  return (
    <FilterGroup label={t('users.claimValue')}>
      <Input
        value={text}
        maxLength={maxClaimValue}
        aria-label={t('users.claimValue')}
        placeholder={t('users.claimValueHelp')}
        spellCheck={false}
        onChange={({ target }) => setText(target.value)}
        onBlur={take}
        onPressEnter={take}
      />
    </FilterGroup>
  );
}
