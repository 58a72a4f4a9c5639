//! Matching with wayfind, on the route sets that datasets.py writes.

mod routers;

struct Wayfind(wayfind::Router<usize>);

impl routers::Router for Wayfind {
    const NAME: &'static str = "wayfind";
    const MARKS: (&'static str, &'static str) = ("<", ">");

    fn build(routes: &[String]) -> Result<Self, String> {
        let mut builder = wayfind::RouterBuilder::new();
        for (number, route) in routes.iter().enumerate() {
            builder.insert(route, number).map_err(|error| format!("{route}: {error:?}"))?;
        }
        Ok(Wayfind(builder.build()))
    }

    #[inline(always)]
    fn find(&self, path: &str) -> Option<usize> {
        self.0.search(path).map(|found| *found.data())
    }
}

fn main() {
    routers::run::<Wayfind>();
}
