import './words/en.js';
import { useTranslation } from 'react-i18next';
import type { PresenceView, PresentState } from '../../../../../src/contract/presence.js';
import { isolateName } from '../../i18n/isolate-name.js';
import { listOf, numeral } from '../../i18n/language.js';
import { Monogram } from '../marks/monogram.js';
import styles from './presence-line.module.css';

const states: readonly PresentState[] = ['editing', 'saved', 'viewing'];
const mostFaces = 3;

/** Names the others who have the record open, and what they do with it. */
export function PresenceLine({ others = [], ownTabs = null }: Partial<PresenceView>) {
  const { t } = useTranslation();
  const namesOf = ([first = '', ...more]: string[]) =>
    more.length > 1
      ? t('presence.andOthers', { name: isolateName(first), number: numeral(more.length) })
      : listOf([first, ...more].map((name) => isolateName(name)));
  const sentences: string[] = states.flatMap((state) => {
    const names = others.filter((one) => one.state === state).map(({ name }) => name);
    return names.length > 0 ? [t(`presence.${state}`, { count: names.length, names: namesOf(names) })] : [];
  });
  if (ownTabs) sentences.push(t(`presence.own.${ownTabs}`));
  return (
    <div role="status" className={styles.line}>
      {sentences.length > 0 && (
        <div className={styles.present}>
          {others.length > 0 && (
            <span className={styles.faces}>
              {others.slice(0, mostFaces).map(({ name }, at) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: two administrators may have one name
                <Monogram key={at} name={name} size={24} round />
              ))}
            </span>
          )}
          <span className={styles.sentences}>
            {sentences.map((sentence) => (
              <span key={sentence}>{sentence}</span>
            ))}
          </span>
        </div>
      )}
    </div>
  );
}
