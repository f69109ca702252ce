import { DownloadOutlined } from '@ant-design/icons';
import { Button } from 'antd';
import { useTranslation } from 'react-i18next';
import { csvHead, csvLine } from '../../../../../src/contract/rules/csv.js';
import type { ImportCheck } from '../../../../../src/contract/users/user-import.js';
import { numeral } from '../../../shared/i18n/language.js';
import { translateMessage } from '../../../shared/i18n/messages.js';
import styles from './import-dialog.module.css';
import { saveCsv } from './import-file.js';
import './words/en.js';

/** More are in the download only. */
const mostShown = 50;

/** The lines that are not imported, with the reasons. */
export function WrongLines({ check: { header, wrong } }: { check: Pick<ImportCheck, 'header' | 'wrong'> }) {
  const { t } = useTranslation();
  if (wrong.length === 0) return null;
  const textOf = ({ column, messages }: (typeof wrong)[number]['problems'][number]) =>
    `${column ? `${column}: ` : ''}${messages.map(translateMessage).join(' ')}`;
  const save = () => {
    const lines = wrong.map(({ cells, problems }) => csvLine([...cells, problems.map(textOf).join(' ')]));
    saveCsv('wrong-lines.csv', csvHead([...header, t('userImport.problem')]) + lines.join(''));
  };
  return (
    <section className={styles.wrong} aria-label={t('userImport.wrongLines')}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by keyboard */}
      <ul tabIndex={0} aria-label={t('userImport.wrongLines')}>
        {wrong.slice(0, mostShown).map(({ line, problems }) => (
          <li key={line}>
            <strong>{t('userImport.line', { line })}</strong>
            {problems.map((problem) => (
              <bdi key={textOf(problem)}>{textOf(problem)}</bdi>
            ))}
          </li>
        ))}
      </ul>
      {wrong.length > mostShown && <p>{t('userImport.more', { number: numeral(wrong.length - mostShown) })}</p>}
      <Button icon={<DownloadOutlined aria-hidden />} onClick={save}>
        {t('userImport.download')}
      </Button>
    </section>
  );
}
