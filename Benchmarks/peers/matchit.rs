//! Matching with matchit, on the route sets that datasets.py writes.

mod routers;

struct Matchit(matchit::Router<usize>);

impl routers::Router for Matchit {
    const NAME: &'static str = "matchit";
    const MARKS: (&'static str, &'static str) = ("{", "}");

    fn build(routes: &[String]) -> Result<Self, String> {
        let mut router = matchit::Router::new();
        for (number, route) in routes.iter().enumerate() {
            router.insert(route, number).map_err(|error| format!("{route}: {error}"))?;
        }
        Ok(Matchit(router))
    }

    #[inline(always)]
    fn find(&self, path: &str) -> Option<usize> {
        self.0.at(path).ok().map(|found| *found.value)
    }
}

fn main() {
    routers::run::<Matchit>();
}
