import { Composer, type CST, type Document, type LineCounter, Parser } from 'yaml';
import { counted } from '../../contract/messages/counted.js';
import { mostLevels } from '../../platform/values/json.js';

/** Each may cost some hundred bytes and a microsecond: these are less than half a gigabyte, and some 30,000 clients. */
const mostWords = 1_500_000;
/** The library looks for the anchor of an alias among all others. */
const mostReferences = 1_000;
/** The document and the value itself are open, too. */
const mostOpen = mostLevels + 2;

/** A file whose reading would take all memory; `offset` is the place from which on it is not read. */
export class YamlTooLarge extends Error {
  constructor(
    readonly offset: number,
    message: string,
  ) {
    super(message);
  }
}

/** The words and signs of a text, space included, put together to values; it stops at the limits. */
class BoundedParser extends Parser {
  private words = 0;
  private references = 0;

  override *next(word: string): ReturnType<Parser['next']> {
    this.words += 1;
    if (this.words > mostWords)
      throw this.tooLarge(`It has more than ${counted(mostWords, 'word or sign', 'words and signs')}.`);
    if (word.startsWith('&') || word.startsWith('*')) this.references += 1;
    if (this.references > mostReferences) {
      throw this.tooLarge(`It has more than ${counted(mostReferences, 'anchor or alias', 'anchors and aliases')}.`);
    }
    yield* super.next(word);
    if (this.stack.length > mostOpen) throw this.tooLarge('It is nested too deeply.');
  }

  private tooLarge(message: string): YamlTooLarge {
    return new YamlTooLarge(this.offset, message);
  }
}

type Options = NonNullable<ConstructorParameters<typeof Composer>[0]>;

/**
 * The documents of a text, as `parseAllDocuments` of the library has them: up to the limits, and up to the last error
 * that is worth to be read.
 */
export function boundedDocuments(
  text: string,
  mostErrors: number,
  options: Options & { lineCounter: LineCounter },
): Generator<Document.Parsed> {
  const tokens = new BoundedParser(options.lineCounter.addNewLine).parse(text);
  return new Composer(options).compose(untilErrors(tokens, mostErrors), true, text.length);
}

/** A directive costs as much as an error: each of them may be an unknown one. */
function* untilErrors(tokens: Iterable<CST.Token>, most: number): Generator<CST.Token> {
  let errors = 0;
  let directives = 0;
  for (const token of tokens) {
    yield token;
    if (token.type === 'error') errors += 1;
    if (errors >= most) return;
    if (token.type !== 'directive') continue;
    directives += 1;
    if (directives > most) throw new YamlTooLarge(token.offset, `It has more than ${most} directives (%).`);
  }
}
