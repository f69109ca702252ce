import { useTranslation } from 'react-i18next';
import type { AgeRules, PrivateKinds } from '../../../../src/contract/representation/administration.js';
import { plainList } from '../../shared/i18n/language.js';
import { kindName } from '../../shared/scopes/scope-texts.js';
import styles from './age-rules.module.css';

/** What each level shows, and what it and each basis keep private. */
export function LevelKinds({ rules: { levels, bases } }: { rules: AgeRules }) {
  const { t } = useTranslation();
  const names = useNames();
  return (
    <dl className={styles.facts}>
      {levels.map(({ id, label, kinds, without }) => {
        const hidden = names.hidden(without);
        return (
          <div key={id}>
            <dt>{label}</dt>
            <dd>
              {kinds
                ? t('ageRules.only', { kinds: plainList(names.shown(kinds)) })
                : t(hidden.length > 0 ? 'ageRules.everythingBut' : 'ageRules.everything')}
            </dd>
            {hidden.length > 0 && <dd>{t('ageRules.private', { kinds: plainList(hidden) })}</dd>}
          </div>
        );
      })}
      {bases
        .map((basis) => ({ basis, hidden: names.hidden(basis.keptPrivate) }))
        .filter(({ hidden }) => hidden.length > 0)
        .map(({ basis, hidden }) => (
          <div key={basis.id}>
            <dt>{t('ageRules.privateOf', { basis: basis.label })}</dt>
            <dd>{plainList(hidden)}</dd>
          </div>
        ))}
    </dl>
  );
}

/** The words for kinds as they are configured: `Type`, `Type?category=a,b`, `?_security=x`, `Type.element`. */
function useNames() {
  const { t } = useTranslation();
  const codeOf = (token: string) => token.slice(token.lastIndexOf('|') + 1);
  const shown = (kinds: readonly string[]) =>
    kinds.flatMap((kind) => {
      if (kind === 'contact-details') return [t('ageRules.contactDetails')];
      const [type = '', query] = kind.split('?');
      const values = query?.split('=')[1]?.split(',').map(codeOf) ?? [];
      if (type === '') return values.map((label) => t('ageRules.label', { label }));
      if (values.length > 0) return values.map((category) => kindName(`${type}/${category}`));
      const [of = '', element] = type.split('.');
      return [element ? t('ageRules.attachment', { kind: kindName(of) }) : kindName(of)];
    });
  const hidden = ({ types, categories, securityLabels, codedElements }: PrivateKinds) => [
    ...types.map(kindName),
    ...categories.map(kindName),
    ...securityLabels.map((label) => t('ageRules.label', { label: codeOf(label) })),
    ...codedElements.map((element) => t('ageRules.coded', { kind: kindName(element.split('/')[0] ?? element) })),
  ];
  return { shown, hidden };
}
