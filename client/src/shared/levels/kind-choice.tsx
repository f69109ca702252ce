import { Checkbox } from 'antd';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import type { SingleKinds } from '../../../../src/contract/representation/levels.js';
import choices from './choices.module.css';
import { namedKinds } from './level-texts.js';

/** Kinds to tick one by one, sensitive ones last; of kinds with one name all are meant. */
export function KindChoice({
  single,
  value = [],
  onChange,
  id,
}: {
  single: SingleKinds;
  /** Value, handler and id come from the form item. */
  value?: string[];
  onChange?: (kinds: string[]) => void;
  id?: string;
}) {
  const { t } = useTranslation();
  const help = useId();
  const all = namedKinds(single);
  const groups = [
    { label: t('levels.chooseKinds'), kinds: all.filter(({ isSensitive }) => !isSensitive), isSensitive: false },
    { label: t('levels.chooseSensitive'), kinds: all.filter(({ isSensitive }) => isSensitive), isSensitive: true },
  ].filter(({ kinds }) => kinds.length > 0);
  const choose = (kind: string, isChosen: boolean) =>
    onChange?.(isChosen ? [...value, kind] : value.filter((one) => one !== kind));
  return (
    <div {...(id !== undefined && { id })} tabIndex={-1}>
      {groups.map(({ label, kinds, isSensitive }) => (
        <fieldset key={label} className={choices.group} {...(isSensitive && { 'aria-describedby': help })}>
          <legend>{label}</legend>
          {isSensitive && (
            <p id={help} className={choices.help}>
              {t('levels.chooseSensitiveHelp')}
            </p>
          )}
          {kinds.map(({ value: kind, name }) => (
            <Checkbox
              key={kind}
              className={choices.kind ?? ''}
              checked={value.includes(kind)}
              onChange={({ target }) => choose(kind, target.checked)}
            >
              <span className={choices.choice}>{name}</span>
            </Checkbox>
          ))}
        </fieldset>
      ))}
    </div>
  );
}
