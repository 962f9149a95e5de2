//! The arguments of `ape serve`.

use std::num::NonZeroUsize;

/// What `ape serve --help` ends with.
const API: &str = "It listens on 127.0.0.1 alone. A request reads and writes no file. Ctrl-C ends it, with all it has started.
The page speaks to the server in JSON, and so may other programs:
  GET  /api/programs   the examples, the course, the words of L
  POST /api/check      whether a program is legal, and what is wrong with it
  POST /api/verify     the same, the report of `ape verify --format json`, and the page of `ape verify --format html`
  POST /api/grade      the same, and what an answer to an exercise of the course is worth
A body is `{\"shared\": TEXT, \"old\": TEXT, \"new\": TEXT}`: what both versions share, and the versions; each may be left out. \
Its type must be application/json. Together the texts have at most 64 kB.
Places in answers are a text and UTF-16 offsets in it, as in JavaScript: `{\"pane\": \"old\", \"start\": 8, \"end\": 9, \"line\": 2}`. \
What an answer has is `legal`, `lines` (the number of the first line of each text), `diagnostics`; for a legal program that is \
verified `verdict`, `seconds` (how long it might take), `report` and `page`, or `gave_up` (why there is no verdict); for an answer \
`mark`, `points`, `of`, `why` and `detail`.
A header `Ape-Client` names a client, by at most 40 letters, digits and `-`. Clients take turns, whatever each one asks for; those whose last program took long and the others alternate. \
Without the header each connection is a client. To close the connection is to give up the request.
Status of an answer: 200; 400 no such JSON; 403 from another site; 408 too slow; 413 too large; 415 no JSON; 429 this client asks \
for too much at once; 500 a bug of ours, or no process can be started; 503 too many wait. With 429 and 503 the header `Retry-After` says in how many seconds to ask again.";

/// Arguments of `ape serve`.
#[derive(Debug, clap::Args)]
#[command(after_help = API)]
pub(crate) struct ServeArgs {
    /// The port; 0 is any that is free
    #[arg(long, value_name = "PORT", default_value_t = 7878)]
    pub(crate) port: u16,
    /// Give up on a program after this many seconds; after a fifth of them while others wait. What is not decided by then is unknown
    #[arg(long, value_name = "SECS", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=3600))]
    pub(crate) timeout: u64,
    /// How much memory, in MB, the solver may take for one question, and `ape` itself for the program that it is about
    #[arg(long, value_name = "MB", default_value_t = 256, value_parser = clap::value_parser!(u64).range(64..=1 << 16))]
    pub(crate) memory: u64,
    /// How many programs are verified at the same time, at most four for each core [default: as many as there are cores]
    #[arg(long, value_name = "N")]
    pub(crate) jobs: Option<NonZeroUsize>,
}
