import LibPQ
import Platform
import Testing

@Suite("A connection string")
struct ConninfoTests {
  @Test func `is taken apart by keyword`() throws {
    let conninfo = try PGConninfo(
      parsing: "postgresql://ada@db.example:6000/people?sslmode=require"
    )
    #expect(
      conninfo.dictionary == [
        "user": "ada", "host": "db.example", "port": "6000", "dbname": "people",
        "sslmode": "require",
      ]
    )
  }

  @Test(arguments: [
    "host=db.example user=ada", "host='/var/run/a b' password='it''s'", "",
    #"user='a\\b' dbname='x\'y' application_name=''"#,
    "postgresql://ada:s%20p@db.example:6000,other.example:6001/people?sslmode=require",
    "postgresql://[::1]:6000/people", "postgresql:///people?host=/var/run/postgresql&port=6000",
    "host=a,b port=6000 dbname=people", "host=a,b port=6000, user=ada", "port=6000",
    "host=a hostaddr=10.0.0.1 passfile='/home/ada/a&b=c?#%'", "password=x dbname=y",
  ])
  func `means the same after being written as pairs or as a URI`(_ text: String) throws {
    // The invalid one among them is left out: '' is not how a quote is escaped.
    guard let conninfo = try? PGConninfo(parsing: text) else {
      #expect(text.contains("it''s"))
      return
    }
    #expect(try PGConninfo(parsing: conninfo.pairs).dictionary == conninfo.dictionary)
    #expect(try PGConninfo(parsing: conninfo.uri).dictionary == conninfo.dictionary)
    #expect(conninfo.uri.hasPrefix("postgresql://"))
  }

  @Test(arguments: [
    "host=db.example password=sesame", "password='sesame' sslpassword=sesame user=ada",
    "postgresql://ada:sesame@db.example/people", "postgres://db.example/?password=sesame",
    "postgresql://db.example/people?user=ada&sslpassword=sesame", "password=open sesame",
    "postgresql://ada:sesame@db.example:x:y/people", "postgresql://ada:sesame@[db.example/",
    "postgresql://ada:%zzsesame@db.example/", "sslpassword=a sesame=b", "PASSWORD=sesame",
    "postgresql://ada@db.example/?pass=sesame", #"password='open"sesame" x"#,
  ])
  func `shows no password, whether it can be read or not`(_ text: String) throws {
    #expect(!PGConninfo.redacted(conninfo: text).contains("sesame"))
    do {
      _ = try PGConninfo(parsing: text)
    } catch {
      #expect(!"\(error)".contains("sesame"))
      guard case .invalidConninfo = error else {
        Issue.record("\(error)")
        return
      }
    }
  }

  @Test func `keeps its form when the password is taken out`() {
    #expect(
      PGConninfo.redacted(conninfo: "postgres://ada:sesame@db.example/people")
        == "postgresql://ada@db.example/people"
    )
    #expect(
      PGConninfo.redacted(conninfo: "user=ada password=sesame dbname='a b'")
        == "user=ada dbname='a b'"
    )
  }

  @Test func `that holds no secret is quoted where it is wrong`() {
    #expect(throws: PostgresError.invalidConninfo(reason: "invalid connection option \"hots\"")) {
      _ = try PGConninfo(parsing: "hots=db.example")
    }
  }

  @Test func `with a NUL byte is refused, not cut off`() {
    #expect(throws: PostgresError.invalidConninfo(reason: "it contains a NUL byte")) {
      _ = try PGConninfo(parsing: "host=a\0 user=b")
    }
  }

  @Test func `can be shielded from the environment`() async throws {
    // In a process of its own: the environment is everybody's.
    await #expect(processExitsWith: .success) {
      for (name, value) in ["PGHOSTADDR": "192.0.2.1", "PGSSLMODE": "verify-full", "PGUSER": "eve"]
      {
        setenv(name, value, 1)
      }
      let shielded = try PGConninfo(parsing: "host=/tmp user=ada").shieldedFromEnvironment()
      #expect(shielded["host"] == "/tmp")
      #expect(shielded["user"] == "ada")
      #expect(shielded["hostaddr"] == "")
      #expect(shielded["sslmode"] == "prefer")
      #expect(shielded["port"] == nil)
    }
  }
}
