import { TableOutlined } from '@ant-design/icons';
import { Button } from 'antd';
import CheckboxGroup from 'antd/es/checkbox/Group';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { storageKey } from '../addresses/base-path.js';
import { useMedia } from '../browser/use-media.js';
import type { ListColumn } from './list-table.js';
import { FilterGroup, FilterMenu } from './list-tools.js';
import './bulk/words/en.js';

/**
 * The columns that an administrator has chosen, which this browser remembers for each of them. The name always stays,
 * and so does the column that the list is sorted by.
 */
export function useColumns<Row, Column extends string>(
  list: string,
  user: string,
  all: ListColumn<Row, Column>[],
  sortedBy: Column,
): { columns: ListColumn<Row, Column>[]; isChosen: (title: string) => boolean; menu: ReactNode } {
  const { t } = useTranslation();
  const key = storageKey(`columns.${list}.${user}`);
  const [chosen, setChosen] = useState(() => storedTitles(key));
  const narrow = useMedia('(max-width: 767.98px)');
  const usual = all.filter(({ extra }) => !extra).map(({ title }) => title);
  const wanted = chosen ?? usual;
  const isShown = ({ title, sort }: ListColumn<Row, Column>) =>
    wanted.includes(title) || (sort !== undefined && sort === sortedBy);

  const choose = (titles: string[] | null) => {
    setChosen(titles);
    try {
      if (titles) localStorage.setItem(key, JSON.stringify(titles));
      else localStorage.removeItem(key);
    } catch {
      // Storage can be forbidden; then the choice ends with the page.
    }
  };
  const menu = !narrow && (
    <FilterMenu
      label={t('bulk.columns')}
      icon={<TableOutlined aria-hidden />}
      count={0}
      fields={
        <>
          <FilterGroup label={t('bulk.columns')}>
            <CheckboxGroup
              value={all.filter(isShown).map(({ title }) => title)}
              onChange={(titles) => choose(all.map(({ title }) => title).filter((title) => titles.includes(title)))}
              options={all.map(({ title, sort }) => {
                const isSorted = sort !== undefined && sort === sortedBy;
                return {
                  value: title,
                  label: isSorted ? t('bulk.sortedBy', { column: title }) : title,
                  disabled: isSorted,
                };
              })}
            />
          </FilterGroup>
          <div>
            <Button size="small" disabled={chosen === null} onClick={() => choose(null)}>
              {t('bulk.resetColumns')}
            </Button>
          </div>
        </>
      }
    />
  );
  // On a phone a row has its two places, whatever is chosen.
  const columns = narrow ? all.filter(({ extra }) => !extra) : all.filter(isShown);
  return { columns, isChosen: (title) => columns.some((column) => column.title === title), menu };
}

function storedTitles(key: string): string[] | null {
  try {
    const titles: unknown = JSON.parse(localStorage.getItem(key) ?? 'null');
    return Array.isArray(titles) ? titles.filter((title) => typeof title === 'string') : null;
  } catch {
    return null;
  }
}
