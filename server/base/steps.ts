/** The work of a transaction, which gives a `T`: a generator that makes its calls with `yield*`. */
export type Steps<T, Call = unknown> = Generator<Call, T, unknown>

/** The methods of an interface within a transaction. A call is made by `yield*`, which gives its answer. */
export type InSteps<Noun, Call = unknown> = {
  [Method in keyof Noun]: Noun[Method] extends (...given: infer Given) => infer Answer
    ? (...given: Given) => Steps<Awaited<Answer>, Call>
    : never
}

/** The methods of nouns within a transaction. */
export type NounsAsSteps<Nouns, Call = unknown> = { [Noun in keyof Nouns]: InSteps<Nouns[Noun], Call> }
