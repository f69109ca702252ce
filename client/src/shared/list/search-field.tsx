import { SearchOutlined } from '@ant-design/icons';
import { Input } from 'antd';
import { useCallback, useEffect, useRef, useState } from 'react';
import { maxSearchTerm } from './list-state.js';
import styles from './search-field.module.css';

/** Pause in typing before a search is made, in milliseconds (`spec §9`). */
const searchDelay = 1000;

/** Searches once nothing was typed for a while, on Enter, and when it is emptied. */
export function SearchField({
  value,
  onSearch,
  placeholder,
}: {
  value: string;
  onSearch: (term: string) => void;
  placeholder: string;
}) {
  const [text, setText] = useState(value);
  const latest = useRef({ value, onSearch });
  latest.current.onSearch = onSearch;

  // By Back or a link; what was searched for from here is in the field already, and perhaps typed on.
  useEffect(() => {
    if (value !== latest.current.value) setText(value);
    latest.current.value = value;
  }, [value]);

  const search = useCallback((term: string) => {
    if (term.trim() === latest.current.value) return;
    latest.current.value = term.trim();
    latest.current.onSearch(term.trim());
  }, []);

  useEffect(() => {
    const timer = setTimeout(() => search(text), searchDelay);
    return () => clearTimeout(timer);
  }, [text, search]);

  return (
    <Input
      className={styles.search}
      type="search"
      value={text}
      maxLength={maxSearchTerm}
      prefix={<SearchOutlined aria-hidden />}
      placeholder={placeholder}
      aria-label={placeholder}
      autoComplete="off"
      spellCheck={false}
      onChange={({ target }) => {
        setText(target.value);
        if (target.value === '') search('');
      }}
      onPressEnter={() => search(text)}
    />
  );
}
